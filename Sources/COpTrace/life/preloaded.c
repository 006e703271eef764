// Under `optrace record` a small preloaded object starts the recorder before `main`. A program that is linked with OpTrace
// has a recorder: this offers it, so that the process gets no second one.
#if defined(__linux__)

#include <dlfcn.h>
#include <stdlib.h>

// In Swift (RecordEntry.swift). Hidden: each copy of OpTrace offers its own. Weak: this target links without Swift's part.
__attribute__((weak, visibility("hidden"))) void optrace_record_begin(int alone);

__attribute__((constructor)) static void offer_recorder(void) {
  if (!optrace_record_begin || !getenv("OPTRACE_RECORD")) return;
  void (*offer)(void (*begin)(int alone)) = (void (*)(void (*)(int)))dlsym(RTLD_DEFAULT, "optrace_preload_register");
  if (offer) offer(optrace_record_begin);
}

#endif
