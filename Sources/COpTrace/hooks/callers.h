// Tells which library has called a hook.
#ifndef OPTRACE_CALLERS_H
#define OPTRACE_CALLERS_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
#include <stdbool.h>

// `caller`: the address that the hook returns to. Takes a lock only for code that was not known to be loaded, once.
bool caller_is_dispatch(const void *caller);
// libdispatch or Swift's runtime, whether they are libraries of their own or linked into the program.
bool caller_is_foundation(const void *caller);
bool caller_is_runtime(const void *caller);
#endif

#endif
