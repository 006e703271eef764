// A hook of Swift's runtime: initialisers of globals and of static properties.
#ifndef OPTRACE_HOOK_ONCE_H
#define OPTRACE_HOOK_ONCE_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import once_imports[];

// Learns how the runtime marks an initialiser that has finished. Call it once, after the imports are resolved.
void once_prepare(void);
#endif

#endif
