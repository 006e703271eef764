// The recorder's own calls. Where it is linked into a program, the hooks of the C library's functions hear these, too. They must leave them
// alone: no call of the recorder is a wait of the program, and one that is made to note a wait would be noted without end.
#ifndef OPTRACE_OWN_CALL_H
#define OPTRACE_OWN_CALL_H

#include <stdbool.h>

// Whether this thread is in such a call. In the static TLS block, like `this_thread` in records/buffers.h.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local bool is_own_call;

// Put these around calls that may wait. They nest: `own_call_ends` gets what `own_call_begins` returned.
static inline bool own_call_begins(void) {
  bool was = is_own_call;
  is_own_call = true;
  return was;
}
static inline void own_call_ends(bool was) { is_own_call = was; }

#endif
