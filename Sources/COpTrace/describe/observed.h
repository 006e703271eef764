// An operation of Foundation's that reports what its getters return.
#ifndef OPTRACE_OBSERVED_H
#define OPTRACE_OBSERVED_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// A new one, owned by the caller; see hooks/own.c. Null: none can be made. After the methods of operations were found.
void *observed_make(void);

// A plain new operation of Foundation's, owned by the caller. Null: none can be made.
void *plain_operation(void);
// Finds out whether an array of operations is as it is read here. Null, or what does not fit.
const char *arrays_prove(void);
#endif

#endif
