// Under `optrace record`, a small preloaded object starts the recorder before `main`. A program that is linked with OpTrace
// offers its own recorder here, so that the process does not get a second one.
#if defined(__linux__)

#include <dlfcn.h>
#include <stdlib.h>

// Implemented in Swift (RecordEntry.swift). Hidden, because each copy of OpTrace offers its own. Weak, and an alias of a function that
// does nothing, so that this target also links without the Swift part, as in the preloaded object itself, which has nothing to offer.
static void nobody_begins(void) {}
__attribute__((weak, visibility("hidden"), alias("nobody_begins"))) void optrace_record_begin(void);

__attribute__((constructor)) static void offer_recorder(void) {
  if (optrace_record_begin == nobody_begins || !getenv("OPTRACE_RECORD")) return;
  void (*offer)(void (*begin)(void)) = (void (*)(void (*)(void)))dlsym(RTLD_DEFAULT, "optrace_preload_register");
  if (offer) offer(optrace_record_begin);
}

#endif
