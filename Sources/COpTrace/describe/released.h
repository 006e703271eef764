// Operations that end without having met a recorder.
#ifndef OPTRACE_RELEASED_H
#define OPTRACE_RELEASED_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// An operation that no recorder has met is about to be freed.
void goes_unmet(void *operation);
#endif

#endif
