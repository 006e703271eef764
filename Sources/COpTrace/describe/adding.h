// Operations that are added to queues. Where possible one record both describes the operation and adds it.
#ifndef OPTRACE_ADDING_H
#define OPTRACE_ADDING_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Records that an operation is added to the queue with this number, and describes the operation if it is new. Returns the operation's
// number; 0: it is not in the trace. An operation that cannot be followed is recorded as partially covered.
uint32_t add_operation(optrace_recorder *core, void *operation, uint32_t queue);
#endif

#endif
