// What is known of objects that carry nothing of ours; the rest stands in COpTraceHooks.h.
#ifndef OPTRACE_OBJECTS_H
#define OPTRACE_OBJECTS_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
void objects_forget(void);
// The object's `deinit`: records `kind`, takes the object out of the table, whose entry may be used again at once, and
// calls `destroy`.
void object_end(void *object, uint8_t kind, method destroy);
bool object_is_ending(const void *object);
#endif

#endif
