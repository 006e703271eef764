// Operations that are given to queues: described and added in one record where possible.
#ifndef OPTRACE_ADDING_H
#define OPTRACE_ADDING_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Records that an operation is given to the queue with this number, and describes it at first sight. Returns its number; 0: it is
// not in the trace. If it cannot be followed, it is recorded in part.
uint32_t add_operation(optrace_recorder *core, void *operation, uint32_t queue);
#endif

#endif
