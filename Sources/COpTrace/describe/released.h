// Operations that are freed without ever having belonged to a recorder; see COpTraceDescribe.h.
#ifndef OPTRACE_RELEASED_H
#define OPTRACE_RELEASED_H

#include "COpTraceDescribe.h"

// The same as `optrace_released_unmet`, for an operation of any class. `entry`: null if it has none yet.
void released_unmet(void *operation, optrace_operation *entry, const uint8_t *name, size_t length, void *const *dependencies,
                    size_t count);

#endif
