// Hooks of Swift's tasks.
#ifndef OPTRACE_TASKS_H
#define OPTRACE_TASKS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// For functions that are hooked at their entries (`runtime_entries.c`). A job, which need not be a task, is enqueued on an actor.
void tasks_given(const void *job, const void *actor);
// A job is given to the global executor, or to the main actor's, which need not be libdispatch. Pass the result to `tasks_announced` after
// the original call; in between, the call of libdispatch for this job is not recorded again.
const void *tasks_announce(const void *job, bool is_main);
void tasks_announced(const void *outer);
// A task's continuation is resumed.
void tasks_resumed(const void *task, uint32_t how);
// The function of a task has returned on this thread: before and after the tasks that wait for it are resumed.
void tasks_ends(const void *task);
void tasks_ended(const void *task);

// Whether this is one of the functions that these hooks pass to libdispatch in place of the runtime's own.
bool tasks_run_by(void (*function)(void *context));

// Installed only if tasks are recorded.
extern hooked_import task_imports[];

// From now on tasks are recorded, as far as the hooks see them. Null, or the reason why they cannot be recorded.
const char *tasks_prepare(optrace_recorder *recorder);
#endif

#endif
