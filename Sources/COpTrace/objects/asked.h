// What Foundation itself knows about an operation or a queue, bypassing overrides: those are the program's code, and may wait for a lock
// that the caller holds. The public part is in COpTraceHooks.h.
#ifndef OPTRACE_ASKED_H
#define OPTRACE_ASKED_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// The name, the two words of an optional Swift string, and the dependencies, an array. The caller owns both. False without hooks.
bool asked_operation(void *operation, uint64_t name[2], void **dependencies);
#endif

#endif
