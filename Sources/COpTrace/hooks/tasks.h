// Hooks of Swift's tasks.
#ifndef OPTRACE_TASKS_H
#define OPTRACE_TASKS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Installed only if tasks are recorded.
extern hooked_import task_imports[];

// From here on tasks are recorded, as far as the hooks see them. Null, or the reason why they cannot be.
const char *tasks_prepare(optrace_recorder *recorder, uint32_t (*define)(void *context, uint64_t function));
#endif

#endif
