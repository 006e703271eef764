// Reads Foundation's own fields of an operation.
#ifndef OPTRACE_OWN_H
#define OPTRACE_OWN_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// Finds the offsets of the fields, and their values in a new operation. Only for a Foundation with the layout that OpTrace was compiled
// for. A field that is not found is never used.
void own_fields_find(const void *operation_class, method start, const optrace_readers *readers);
// What Foundation's own getter would return for an operation that this thread is running; see `optrace_own_answer`.
uint8_t own_says(const void *object, uint32_t question);
// The offset of an operation's completion block, a closure; 0: not known.
uint32_t own_completion_offset(void);
#endif

#endif
