// Hooks of operations.
#ifndef OPTRACE_OPERATIONS_H
#define OPTRACE_OPERATIONS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_method operation_methods[];
// Before the hooks are installed.
void operations_prepare(void);
extern hooked_import foundation_imports[];
#endif

#endif
