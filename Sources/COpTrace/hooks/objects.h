// What is known of objects that are not ours. The rest is in COpTraceHooks.h.
#ifndef OPTRACE_OBJECTS_H
#define OPTRACE_OBJECTS_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
void objects_forget(void);
// The object's `deinit`: records `kind`, removes the object from the table, whose entry may be reused at once, and calls
// `destroy`.
void object_end(void *object, uint8_t kind, method destroy);
bool object_is_ending(const void *object);
#endif

#endif
