// Operations that cannot be followed: their class's table could not be written, or memory was out; or they record elsewhere.
#ifndef OPTRACE_FOREIGN_H
#define OPTRACE_FOREIGN_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// The number of an operation. At first sight it is described: only that it was named is known. 0: there is none.
uint32_t foreign_number(optrace_recorder *core, void *operation);
// Describes an operation that was given to a queue, as partially seen, with its dependencies.
uint32_t foreign_enqueued(optrace_recorder *core, void *operation);
#endif

#endif
