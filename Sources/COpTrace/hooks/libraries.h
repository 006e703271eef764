// Hooks the function that unloads libraries.
#ifndef OPTRACE_LIBRARIES_H
#define OPTRACE_LIBRARIES_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Always installed: another library may be loaded at the same addresses later (see stacks/unloaded.h).
extern hooked_import library_imports[];
#endif

#endif
