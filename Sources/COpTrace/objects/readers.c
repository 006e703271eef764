#include "readers.h"

#include <pthread.h>

// Written once, before anything is described.
optrace_readers readers;

void optrace_describe_by(const optrace_readers *use) { readers = *use; }

// Implemented in Swift (Readers.swift). Hidden, because each copy of OpTrace has its own. Weak, so that this target also links without the
// Swift part.
__attribute__((weak, visibility("hidden"))) void optrace_fill_readers(optrace_readers *own) { (void)own; }

static void fill(void) { optrace_fill_readers(&readers); }

void optrace_describe_compiled(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill);
}
