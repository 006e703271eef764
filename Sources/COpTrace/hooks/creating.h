// Hooks of the functions that create tasks.
#ifndef OPTRACE_CREATING_H
#define OPTRACE_CREATING_H

#include "../layouts/swift_abi.h"
#include "../layouts/tables.h"
#include "COpTraceLayouts.h"

#if OPTRACE_HAS_HOOKS
// Indexes of these hooks in the table of imports. The table is passed before any of them is installed. `layout`: of tasks; null: not known.
enum { creating_task, creating_let, creating_imports };
void creating_prepare(const hooked_import table[], const optrace_task_layout *layout);

typedef struct {
  void *task, *context;
} created;

SWIFT created creating_hook_task(size_t flags, void *options, const void *type, const async_function *function, void *context);
SWIFT void creating_hook_let(void *what, void *options, const void *type, const async_function *function, void *context, void *result);

// This task is about to be given to an executor. If this thread is just creating a task that it has not described yet, it is this one.
void creating_this(const void *task, bool is_enqueued, bool is_main);
#endif

#endif
