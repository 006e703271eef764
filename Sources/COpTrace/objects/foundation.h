// Finds Foundation's functions and classes, whether it is a shared library or linked into the program.
#ifndef OPTRACE_FOUNDATION_H
#define OPTRACE_FOUNDATION_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// Whether the process has Foundation.
bool foundation_is_there(void);
// Null: Foundation has nothing with this name. Not for two threads at a time.
void *foundation_find(const char *name);
// Before `foundation_calls`. Not for two threads at a time.
void foundation_prepare(void);
// Whether Foundation's code made the call that returns to this address. If Foundation is linked into the program, and the symbols do not
// show which code is Foundation's, all code counts as Foundation's.
bool foundation_calls(const void *caller);
#endif

#endif
