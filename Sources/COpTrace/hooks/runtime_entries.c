// Each hook writes its record before the original call, because afterwards another thread may already have continued.
#include "runtime_entries.h"

#include "../tasks/task_records.h"
#include "entered.h"
#include "tasks.h"

#if OPTRACE_HAS_HOOKS

enum { index_given, index_global, index_main, index_resume, index_throwing, index_error, index_ends, entry_count };

static const char library[] = "libswift_Concurrency.so";

typedef struct {
  const char *name;
  void *hook;
  void *call;  // Calls the original; null: the function is not hooked.
  bool is_exported;
} runtime_entry;

static runtime_entry entries[entry_count];

// Arguments that are not named here stay in their registers and are passed on.
typedef SWIFT void (*runtimes)(void *first, void *second, void *third, void *fourth);

static SWIFT void hook_given(void *job, void *actor, void *third, void *fourth) {
  tasks_given(job, actor);
  ((runtimes)entries[index_given].call)(job, actor, third, fourth);
}

// The runtime has variables for this, too (`swift_task_enqueueGlobal_hook`). They belong to the program: some set one for a while, and ask
// whether it is null.
#define ENQUEUE_HOOK(name, is_main)                                                       \
  static SWIFT void hook_##name(void *job, void *second, void *third, void *fourth) {     \
    const void *outer = tasks_announce(job, is_main);                                     \
    ((runtimes)entries[index_##name].call)(job, second, third, fourth);                   \
    tasks_announced(outer);                                                               \
  }
ENQUEUE_HOOK(global, false)
ENQUEUE_HOOK(main, true)

#define RESUME_HOOK(name, how)                                                            \
  static SWIFT void hook_##name(void *task, void *second, void *third, void *fourth) {    \
    tasks_resumed(task, how);                                                             \
    ((runtimes)entries[index_##name].call)(task, second, third, fourth);                  \
  }
RESUME_HOOK(resume, resumed_with_value)
RESUME_HOOK(throwing, resumed_throwing)
RESUME_HOOK(error, resumed_with_error)

// A plain C++ function, which the last functions of a task call.
static void hook_ends(void *task, void *context, void *error) {
  tasks_ends(task);
  ((void (*)(void *, void *, void *))entries[index_ends].call)(task, context, error);
  tasks_ended(task);
}

static runtime_entry entries[entry_count] = {
  [index_given] = {"swift_defaultActor_enqueue", hook_given, NULL, true},
  [index_global] = {"swift_task_enqueueGlobal", hook_global, NULL, true},
  [index_main] = {"swift_task_enqueueMainExecutor", hook_main, NULL, true},
  [index_resume] = {"swift_continuation_resume", hook_resume, NULL, true},
  [index_throwing] = {"swift_continuation_throwingResume", hook_throwing, NULL, true},
  [index_error] = {"swift_continuation_throwingResumeWithError", hook_error, NULL, true},
  [index_ends] = {"_ZL16completeTaskImplPN5swift9AsyncTaskEPNS_12AsyncContextEPNS_10SwiftErrorE", hook_ends, NULL, false},
};

void runtime_entries_take(void) {
  // The program has no tasks.
  if (!task_imports[0].real) return;
  for (size_t i = 0; i < entry_count; i++) {
    runtime_entry *e = &entries[i];
    book_entry found;
    if (e->call) continue;
    if (!book_look_up(e->name, &found) && !e->is_exported) book_look_up_in(library, e->name, &found);
    entered_take_also(e->name, &found, e->hook, &e->call);
  }
}
#endif
