// What Foundation's own fields say of an operation.
#ifndef OPTRACE_OWN_H
#define OPTRACE_OWN_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// Looks where the fields are, and what they hold in an operation with which nothing has been done. Of a Foundation that is laid out as it
// was compiled for. What is not found is never said.
void own_fields_find(const void *operation_class, method start, const optrace_hook_calls *calls);
// What Foundation's own getter says of an operation that this thread runs, as `optrace_own_answer`.
uint8_t own_says(const void *object, uint32_t question);
// Where an operation has its completion block, a closure; 0: not known.
uint32_t own_completion_offset(void);
#endif

#endif
