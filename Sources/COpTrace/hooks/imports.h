// Calls by name.
#ifndef OPTRACE_IMPORTS_H
#define OPTRACE_IMPORTS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Where Foundation is loaded; null when it is not a library of its own.
void *foundation_handle(void);
// Finds what is hooked: methods of Foundation, called by name, and imported functions of Foundation, and of anybody.
// The last imports are put in place only once they are wanted.
bool imports_resolve(hooked_method *const methods[2], hooked_import *const imports[3]);
void imports_want_last(void);
// Lets the calls of all loaded objects through the hooks, or back to the real functions. Quick when no object has come
// since the last time. Not for two threads at a time.
void imports_patch(bool on);
#endif

#endif
