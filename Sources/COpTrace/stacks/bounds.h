// The calling thread's own stack.
#ifndef OPTRACE_BOUNDS_H
#define OPTRACE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t low, high;
} stack_bounds;

// As `this_thread` of the buffers: no call to find it.
#if defined(__GLIBC__)
#define OPTRACE_NEAR_THREAD __attribute__((tls_model("initial-exec")))
#else
#define OPTRACE_NEAR_THREAD
#endif
typedef struct {
  stack_bounds bounds;
  bool is_asked;
} own_bounds;
extern OPTRACE_NEAR_THREAD _Thread_local own_bounds stack_bounds_here;
stack_bounds stack_ask_bounds(void);

// From `low` (which nobody may have touched yet) to `high`. Asked from the system once a thread, which may allocate;
// then it is a load. Both 0: not known. The thread may be on another stack (of a signal, of a fiber): compare sp.
static inline stack_bounds stack_own_bounds(void) {
  return stack_bounds_here.is_asked ? stack_bounds_here.bounds : stack_ask_bounds();
}

#endif
