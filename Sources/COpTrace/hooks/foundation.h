// Foundation's functions and classes, wherever it is.
#ifndef OPTRACE_FOUNDATION_H
#define OPTRACE_FOUNDATION_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// As a library of its own, or linked into the program.
bool foundation_is_there(void);
// Null: it has nothing of this name. Not for two threads at a time.
void *foundation_find(const char *name);
#endif

#endif
