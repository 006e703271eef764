// Swift's tasks.
#ifndef OPTRACE_TASKS_H
#define OPTRACE_TASKS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Those that are put in place only where tasks are recorded.
extern hooked_import task_imports[];

// Tasks are recorded from here on, as far as they are heard. Null, or why they cannot be.
const char *tasks_prepare(optrace_recorder *recorder, uint32_t (*define)(void *context, uint64_t function));
#endif

#endif
