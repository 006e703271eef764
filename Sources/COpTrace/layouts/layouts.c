#include "COpTraceLayouts.h"

// From Swift's repository: include/swift/ABI/Task.h (`Job`, `AsyncTask`, `AsyncContext`), include/swift/ABI/TaskStatus.h
// (`TaskDependencyStatusRecord`), stdlib/public/Concurrency/TaskPrivate.h (`AsyncTask::PrivateStorage`) and AsyncLet.cpp
// (`AsyncLetImpl`), where each field is in both rows at the same place. Version 1 was run with Swift 6.3.1, and those without a version
// with Swift 6.0.3. Checks in a process: `task_layout_fits` (tasks/task_layout.h), with a task that is made for it; then `task_read` and
// creating.c at each task, by what points back to it.
//
// Versions that are known from the source alone, and therefore have no row: 2 (the task's name stands behind the task) and 3 (the highest
// byte of the version tells where the current task is kept). Until then records of what a task waits for have lost the pointer to it,
// tasks may have gained two words (a registry), and a job may run a task in its place (`AsyncTaskStealer`; not on Linux).
#define SINCE_5_10                                                                                                     \
  .flags = 0x20, .id = 0x24, .resume = 0x38, .context = 0x40, .dependency = 0xA0, .record_object = 0x10,               \
  .record_kind = 0x20, .record_task = 0x28, .context_parent = 0, .context_return = 8, .let_task = 0x18
const optrace_task_layout optrace_task_layouts[optrace_task_layout_count] = {{.version = 0, SINCE_5_10}, {.version = 1, SINCE_5_10}};

const optrace_task_layout *optrace_task_layout_of(uint32_t version) {
  for (size_t i = 0; i < optrace_task_layout_count; i++)
    if (optrace_task_layouts[i].version == version) return &optrace_task_layouts[i];
  return NULL;
}
