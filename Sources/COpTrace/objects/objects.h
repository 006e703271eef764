// The entries of objects whose classes are not ours. The public part is in COpTraceHooks.h.
#ifndef OPTRACE_OBJECTS_H
#define OPTRACE_OBJECTS_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
void objects_forget(void);
// Runs the object's `deinit`: records `kind`, removes the object from the table (its entry may be reused at once), and calls `destroy`.
void object_end(void *object, uint8_t kind, method destroy);
bool object_is_ending(const void *object);
#endif

#endif
