// Whether a new task has what it must have where a layout says.
#ifndef OPTRACE_TASK_LAYOUT_H
#define OPTRACE_TASK_LAYOUT_H

#include <stdbool.h>

#include "COpTraceLayouts.h"

// What functions of the runtime say of a task that was made and has not run.
typedef struct {
  uint64_t id;
  uint32_t flags;
  uint64_t size;            // In bytes; 0: the runtime does not say it.
  const void *context;
  const void *adapters[2];  // What it may resume with; both null: the runtime does not say it.
} new_task;

// Memory that is not there does not fit.
bool task_layout_fits(const optrace_task_layout *layout, const void *task, const new_task *says);

#endif
