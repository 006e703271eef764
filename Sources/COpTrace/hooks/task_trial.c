#include "task_trial.h"

#include "../book/book.h"
#include "../tasks/task_layout.h"
#include "creating.h"
#include "jobs.h"

#if OPTRACE_HAS_HOOKS

const optrace_task_layout *task_layout_said(void) {
  const uint32_t *version = book_find(OPTRACE_TASK_VERSION_SYMBOL);
  return optrace_task_layout_of(version ? *version : 0);
}

static const void *pointer(const char *symbol) {
  const void *const *variable = book_find(symbol);
  return variable ? *variable : NULL;
}

bool task_layout_tried(const optrace_task_layout *layout, void *create) {
  // The function of a task that does not run. Its address is not used.
  static const async_function never = {.code = 0, .context_size = 64};
  void (*release)(void *object) = (void (*)(void *))book_find("swift_release");
  if (!release) return false;
  // A task without a result: only such a one may be destroyed before it has run.
  created made = ((SWIFT created (*)(size_t, void *, const void *, const async_function *, void *))create)(0, NULL, NULL, &never, NULL);
  if (!made.task) return false;
  const size_t *size = book_find(OPTRACE_TASK_SIZE_SYMBOL);
  new_task says = {
    .id = swift_jobs.id(made.task), .flags = (uint32_t)swift_jobs.flags(made.task), .size = size ? *size : 0, .context = made.context,
    .adapters = {pointer(OPTRACE_TASK_ADAPTER_SYMBOL), pointer(OPTRACE_TASK_RESULT_ADAPTER_SYMBOL)},
  };
  bool fits = task_layout_fits(layout, made.task, &says);
  release(made.task);
  return fits;
}
#endif
