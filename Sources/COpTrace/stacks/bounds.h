// The calling thread's own stack.
#ifndef OPTRACE_BOUNDS_H
#define OPTRACE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t low, high;
} stack_bounds;

// In the static TLS block, like `this_thread` in records/buffers.h.
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

// The range of the stack's addresses; the pages near `low` may never have been touched. The first call on a thread asks the system,
// which may allocate; later ones are a load. Both 0: not known. The thread may be running on another stack (of a signal handler or a
// fiber), so compare sp.
static inline stack_bounds stack_own_bounds(void) {
  return stack_bounds_here.is_asked ? stack_bounds_here.bounds : stack_ask_bounds();
}

// Whether the next call asks nobody.
static inline bool stack_bounds_known(void) { return stack_bounds_here.is_asked; }

#endif
