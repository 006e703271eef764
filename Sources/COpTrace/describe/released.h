// Operations that are freed without ever having belonged to a recorder.
#ifndef OPTRACE_RELEASED_H
#define OPTRACE_RELEASED_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Describes such an operation if one of its dependencies has not finished. Call it when the operation is about to be freed.
void goes_unmet(void *operation);
#endif

#endif
