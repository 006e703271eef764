// Numbers operations that cannot be followed, because the method table of their class could not be changed, memory was out, or they
// belong to another recorder.
#ifndef OPTRACE_FOREIGN_H
#define OPTRACE_FOREIGN_H

#include "COpTraceDescribe.h"

// Returns the number of an operation; 0: there is none. Sets `is_new` if the caller has to describe it.
uint32_t foreign_number(optrace_recorder *core, void *operation, bool *is_new);
#endif
