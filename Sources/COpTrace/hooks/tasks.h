// Hooks of Swift's tasks.
#ifndef OPTRACE_TASKS_H
#define OPTRACE_TASKS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// For functions that are taken at their entries (`runtime_entries.c`). A job is given to an actor, and may be no task.
void tasks_given(const void *job, const void *actor);
// A task's continuation is resumed.
void tasks_resumed(const void *task, uint32_t how);
// The function of a task has returned on this thread, and those that wait for it are about to go on; and that is done.
void tasks_ends(const void *task);
void tasks_ended(const void *task);

// Whether this is a function of these hooks that libdispatch is given in the place of the runtime's.
bool tasks_run_by(void (*function)(void *context));

// Installed only if tasks are recorded.
extern hooked_import task_imports[];

// From here on tasks are recorded, as far as the hooks see them. Null, or the reason why they cannot be.
const char *tasks_prepare(optrace_recorder *recorder);
#endif

#endif
