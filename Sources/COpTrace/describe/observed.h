// A test operation that reports what Foundation's getters return.
#ifndef OPTRACE_OBSERVED_H
#define OPTRACE_OBSERVED_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Makes such a test operation, owned by the caller; see hooks/own.c. Null: not possible. Call it after the methods of operations were
// found.
void *observed_make(void);

// Makes a plain Foundation operation, owned by the caller. Null: not possible.
void *plain_operation(void);
// Verifies the layout of arrays of operations. Null, or what does not fit.
const char *arrays_prove(void);
#endif

#endif
