// A test operation that reports what Foundation's getters return.
#ifndef OPTRACE_OBSERVED_H
#define OPTRACE_OBSERVED_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Makes such a test operation, owned by the caller; see objects/own.c. Null: not possible. Call it after the methods of operations were
// found.
void *observed_make(void);
#endif

#endif
