// Foundation's functions and classes, wherever it is.
#ifndef OPTRACE_FOUNDATION_H
#define OPTRACE_FOUNDATION_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// As a library of its own, or linked into the program.
bool foundation_is_there(void);
// Null: it has nothing of this name. Not for two threads at a time.
void *foundation_find(const char *name);
// Before `foundation_calls`. Not for two threads at a time.
void foundation_prepare(void);
// Whether code of Foundation's library made the call that returns to this address. Where Foundation is linked into a program whose symbols
// do not tell its code from others', all counts as Foundation's.
bool foundation_calls(const void *caller);
#endif

#endif
