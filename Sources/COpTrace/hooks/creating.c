// Hooks of the functions that create tasks: who creates each task, and what it runs. A task may run before the call that creates it has
// returned, so it is described as soon as this thread enqueues it.
#include "creating.h"

#include "../stacks/modules.h"
#include "../stacks/peek.h"
#include "../storage/recorder.h"
#include "../tasks/task_records.h"
#include "jobs.h"
#include "test_frameworks.h"

#if OPTRACE_HAS_HOOKS
static const hooked_import *imports;
static const optrace_task_layout *layout;

void creating_prepare(const hooked_import table[], const optrace_task_layout *known) {
  imports = table;
  layout = known;
}

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return imports[index].real; }

// A task that this thread is creating.
typedef struct making {
  optrace_recorder *recorder;
  task_making known;
  uint32_t how;
  bool is_done, is_ours;
  bool is_of_test;  // The code is a test framework's, and runs a test.
  struct making *outer;
} making;

static _Thread_local making *innermost;

static bool is_in_test(void) {
  char name[longest_test_name];
  return test_name_here(name) > 0;
}

static void name_after_test(optrace_recorder *recorder, uint32_t number) {
  char name[longest_test_name + 1];
  name[test_name_here(name)] = 0;
  task_named(recorder, number, name);
}

// Describes the task that is being created. It may already run on another thread, which has then given it a number.
static void describe(making *m, const void *task, bool is_enqueued, bool is_main) {
  m->is_done = true;
  uint64_t id = swift_jobs.id(task), flags = swift_jobs.flags(task);
  task_slot *slot = task_find(id);
  if (!slot) slot = task_add(id, m->is_ours ? task_next_number(m->recorder) : task_not_ours);
  if (!slot) return recorder_count_lost(m->recorder, optrace_loss_table_full, 1);
  uint32_t number = task_number(slot);
  uint32_t before = atomic_fetch_or_explicit(&slot->state, task_is_described, memory_order_acq_rel);
  uint32_t how = job_is_let(flags) ? task_async_let : job_is_in_group(flags) ? task_in_group : m->how;
  if (number != task_not_ours) {
    task_created(m->recorder, number, &m->known, how, job_priority(flags), is_enqueued, is_main);
    if (m->is_of_test && task_set(slot, task_is_named)) name_after_test(m->recorder, number);
  }
  if (before & task_is_over) task_remove(slot);
}

void creating_this(const void *task, bool is_enqueued, bool is_main) {
  if (innermost && !innermost->is_done && !task_find(swift_jobs.id(task))) describe(innermost, task, is_enqueued, is_main);
}

static uint64_t code_at(const async_function *function) { return (uint64_t)((intptr_t)function + function->code); }

// A thunk that Swift makes captures the function and the context of a closure. That function may be a thunk, too.
static size_t codes_of(const async_function *function, const void *const *context, uint64_t codes[most_task_codes]) {
  enum { least_address = 1 << 16 };
  size_t count = 0;
  codes[count++] = code_at(function);
  while (count < most_task_codes && (uintptr_t)context % object_alignment == 0 && (uintptr_t)context >= least_address) {
    const async_function *caught = context[caught_function_word];
    if ((uintptr_t)caught % sizeof caught->code != 0 || !module_is_own((uint64_t)(uintptr_t)caught)) break;
    uint64_t code = code_at(caught);
    if (!module_is_own(code) || !module_has_code(code)) break;
    codes[count++] = code;
    context = context[caught_context_word];
  }
  return count;
}

static inline __attribute__((always_inline)) void begin_making(making *m, optrace_recorder *recorder, const async_function *function,
                                                               void *context, uint32_t how) {
  *m = (making){.recorder = recorder, .how = how, .is_ours = module_is_own(code_at(function)), .outer = innermost};
  // A test framework runs each test in a task of its own, whose function then calls the program's.
  if (!m->is_ours) m->is_ours = m->is_of_test = is_in_test();
  if (m->is_ours) {
    uint64_t codes[most_task_codes];
    size_t count = codes_of(function, context, codes);
    m->known = task_is_made(recorder, codes, count, optrace_here());
  }
  innermost = m;
}

typedef SWIFT created (*create)(size_t flags, void *options, const void *type, const async_function *function, void *context);

SWIFT created creating_hook_task(size_t flags, void *options, const void *type, const async_function *function, void *context) {
  create go_on = (create)real(creating_task);
  optrace_recorder *recorder = task_recorder();
  if (!recorder || !function) return go_on(flags, options, type, function, context);
  making m;
  begin_making(&m, recorder, function, context, flags & create_inherits ? task_unstructured : task_detached);
  created made = go_on(flags, options, type, function, context);
  innermost = m.outer;
  // The task waits for an actor, or for its creator.
  if (!m.is_done && made.task) describe(&m, made.task, false, false);
  return made;
}

// The task of an `async let`. Where it is is private to the runtime, so it is read with system calls. Null: it is not there.
static const void *task_of(const void *let) {
  const uint64_t flags = 0xF;
  if (!layout) return NULL;
  const void *current = swift_jobs.current();
  uint64_t task, type, known;
  if (!current || !peek_all((uint64_t)(uintptr_t)let + layout->let_task, &task, sizeof task)) return NULL;
  bool is_one = peek_all(task & ~flags, &type, sizeof type) && peek_all((uint64_t)(uintptr_t)current, &known, sizeof known) &&
                type == known;
  return is_one ? (const void *)(uintptr_t)(task & ~flags) : NULL;
}

typedef SWIFT void (*let)(void *let, void *options, const void *type, const async_function *function, void *context, void *result);

SWIFT void creating_hook_let(void *what, void *options, const void *type, const async_function *function, void *context, void *result) {
  let go_on = (let)real(creating_let);
  optrace_recorder *recorder = task_recorder();
  if (!recorder || !function) return go_on(what, options, type, function, context, result);
  making m;
  begin_making(&m, recorder, function, context, task_async_let);
  go_on(what, options, type, function, context, result);
  innermost = m.outer;
  // It was given to an executor of the program, which the hooks do not see.
  const void *made = m.is_done ? NULL : task_of(what);
  if (made) describe(&m, made, false, false);
}
#endif
