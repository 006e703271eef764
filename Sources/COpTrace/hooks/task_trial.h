// Which layout the tasks of this process have.
#ifndef OPTRACE_TASK_TRIAL_H
#define OPTRACE_TASK_TRIAL_H

#include "../layouts/hooks.h"
#include "COpTraceLayouts.h"

#if OPTRACE_HAS_HOOKS
// The layout of the version that the runtime says it has. Null: not known.
const optrace_task_layout *task_layout_said(void);
// Whether a task that is made for this, and never runs, has this layout. Call it after `jobs_prepare`. `create`: `swift_task_create`.
bool task_layout_tried(const optrace_task_layout *layout, void *create);
#endif

#endif
