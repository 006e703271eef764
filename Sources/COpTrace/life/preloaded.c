// Under `optrace record`, a small preloaded object starts the recorder before `main`. A program that is linked with OpTrace
// offers its own recorder here, so that the process does not get a second one.
#if defined(__linux__)

#include <dlfcn.h>
#include <stdlib.h>

// Implemented in Swift (RecordEntry.swift). Hidden: each copy of OpTrace offers its own. Weak: this target also links without the
// Swift part.
__attribute__((weak, visibility("hidden"))) void optrace_record_begin(int alone);

__attribute__((constructor)) static void offer_recorder(void) {
  if (!optrace_record_begin || !getenv("OPTRACE_RECORD")) return;
  void (*offer)(void (*begin)(int alone)) = (void (*)(void (*)(int)))dlsym(RTLD_DEFAULT, "optrace_preload_register");
  if (offer) offer(optrace_record_begin);
}

#endif
