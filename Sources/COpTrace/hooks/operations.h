// Hooks of operations.
#ifndef OPTRACE_OPERATIONS_H
#define OPTRACE_OPERATIONS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Indexes of the table, in addition to those in tables.h.
enum { index_is_cancelled = method_main + 1, index_cancel, index_add_dependency, index_remove_dependency, index_wait,
       index_name, index_priority, index_quality, index_modify_name, index_modify_priority, index_modify_quality,
       index_get_name, index_get_dependencies, index_get_completion, index_set_completion, index_get_quality,
       index_get_asynchronous, index_get_priority };
extern hooked_method operation_methods[];
// Before the hooks are installed.
void operations_prepare(void);
extern hooked_import foundation_imports[];
#endif

#endif
