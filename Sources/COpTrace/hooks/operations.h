// Hooks of operations.
#ifndef OPTRACE_OPERATIONS_H
#define OPTRACE_OPERATIONS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_method operation_methods[];
extern hooked_import foundation_imports[];
#endif

#endif
