#include "task_layout.h"

#include "../stacks/peek.h"

static bool word(const void *task, uint32_t offset, uint64_t *value) {
  return peek_all((uint64_t)(uintptr_t)task + offset, value, sizeof *value);
}

static bool half(const void *task, uint32_t offset, uint32_t *value) {
  return peek_all((uint64_t)(uintptr_t)task + offset, value, sizeof *value);
}

static bool may_resume(uint64_t with, const new_task *says) {
  if (!says->adapters[0] && !says->adapters[1]) return with;
  return with && (with == (uint64_t)(uintptr_t)says->adapters[0] || with == (uint64_t)(uintptr_t)says->adapters[1]);
}

bool task_layout_fits(const optrace_task_layout *layout, const void *task, const new_task *says) {
  uint32_t flags, id;
  uint64_t resume, context, dependency;
  // The record of what it waits for is the last that is read of a task.
  if (says->size && says->size < layout->dependency + sizeof dependency) return false;
  return half(task, layout->flags, &flags) && flags == says->flags && half(task, layout->id, &id) && id == (uint32_t)says->id &&
         word(task, layout->resume, &resume) && may_resume(resume, says) && word(task, layout->context, &context) &&
         context == (uint64_t)(uintptr_t)says->context && word(task, layout->dependency, &dependency) && !dependency;
}
