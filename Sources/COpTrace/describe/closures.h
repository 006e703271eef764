// Objects of ours that Swift takes for closures.
#ifndef OPTRACE_DESCRIBE_CLOSURES_H
#define OPTRACE_DESCRIBE_CLOSURES_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// A closure without arguments and result.
typedef SWIFT void (*closure_function)(SELF);
typedef struct {
  closure_function function;
  void *context;
} closure;

// A completion block that runs another one and records that. Owned by the caller; no function: there is no memory, or nothing is
// recorded. Records that the block is queued.
closure completion_closure(optrace_operation *operation, closure block);

// A barrier block is shown as an operation of its own, which ends with the block: a queue releases it without running it if the
// barrier is cancelled. Owned by the caller. `operation`: what stands for it. No function: there is no memory.
closure barrier_closure(closure block, optrace_operation **operation);

// Makes an object, and has Foundation keep and run it. Null, or why there can be none; then both functions above give none.
const char *closures_prove(void);
// The function that a `BlockOperation` runs; 0: not known.
uint64_t block_function(const void *operation);
bool is_block_operation(const void *metadata);
#endif

#endif
