// The calling thread's own stack.
#ifndef OPTRACE_BOUNDS_H
#define OPTRACE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t low, high;
} stack_bounds;

// From `low` (which nobody may have touched yet) to `high`. Asked from the system once a thread, which may allocate;
// then it is a load. Both 0: not known. The thread may be on another stack (of a signal, of a fiber): compare sp.
stack_bounds stack_own_bounds(void);

#endif
