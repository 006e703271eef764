// Makes Swift closures in C.
#ifndef OPTRACE_DESCRIBE_CLOSURES_H
#define OPTRACE_DESCRIBE_CLOSURES_H

#include "COpTraceDescribe.h"
#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// A closure without arguments and result.
typedef SWIFT void (*closure_function)(SELF);
typedef struct {
  closure_function function;
  void *context;
} closure;

// Makes a closure that calls C; see `optrace_readers`.
bool closure_make(const optrace_closure_kind *kind, uint64_t **words, void **function, void **context);

// Verifies this with a closure that Foundation keeps and runs. Null, or what does not work: then no closures are made, or
// the functions of block operations are not known.
const char *closures_prove(void);
// Returns the address of the function that a `BlockOperation` runs; 0: not known.
uint64_t block_function(void *operation);
bool is_block_operation(const void *metadata);
#endif

#endif
