// Makes Swift closures in C.
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

// Makes a completion block that runs another one and records its begin and its end. Also records that the block is queued. The caller
// owns the result. Its function is null if memory is out, or nothing is recorded.
closure completion_closure(optrace_operation *operation, closure block);

// Makes a barrier block that is shown as an operation of its own. The operation ends when the block is released at the latest, because a
// queue releases a cancelled barrier without running it. `operation` receives the entry of that operation. The caller owns the result.
// Its function is null if memory is out.
closure barrier_closure(closure block, optrace_operation **operation);

// Verifies this with a closure that Foundation keeps and runs. Null, or what does not work: then the functions above make no closures, or
// the functions of block operations are not known.
const char *closures_prove(void);
// Returns the address of the function that a `BlockOperation` runs; 0: not known.
uint64_t block_function(const void *operation);
bool is_block_operation(const void *metadata);
#endif

#endif
