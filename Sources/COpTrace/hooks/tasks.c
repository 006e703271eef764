// Hooks of Swift's tasks: when and where each task runs, and what it waits for in between. (`creating.c` records who creates it.) Each
// hook makes the original call, once and unchanged.
//
// The runtime calls two functions of the standard library when a task begins and stops running on a thread, and it gives its jobs to
// libdispatch. If a job returns while its task is still running, the task is over.
#include "tasks.h"

#include "../book/book.h"
#include "../describe/facts.h"
#include "../objects/readers.h"
#include "../objects/state.h"
#include "../operations/frames.h"
#include "../pauses/pauses.h"
#include "../tasks/actors.h"
#include "../tasks/suspension.h"
#include "../tasks/task_records.h"
#include "blocks.h"
#include "creating.h"
#include "jobs.h"
#include "task_trial.h"

#if OPTRACE_HAS_HOOKS

enum {
  index_enter = creating_imports, index_exit, index_job_run, index_job_run_on_task_executor,
  index_job_run_on_serial_and_task_executor, index_cancel, index_task_cancel, index_async_f, index_after_f, index_handler_f,
};

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return task_imports[index].real; }

// ---- What this thread does -----------------------------------------------------------------------------------------

// A task that runs on this thread.
typedef struct {
  optrace_recorder *recorder;
  const void *task, *state;
  uint64_t id;
  uint64_t sp;      // Where its job's stack began. A job that begins deeper runs inside this one.
  uint32_t number;  // 0: it does not belong to the program.
  uint32_t depth;   // The depth of the frames when it began.
  bool is_over;     // Its end has been recorded.
} run;

enum { most_runs = 8 };
static _Thread_local struct {
  uint32_t count;
  run runs[most_runs];
  const void *announced;     // A job that is being enqueued, and has already been recorded.
  const void *stopped;  // The task that stopped running here last …
  uint64_t stopped_sp;  // … and where its job's stack began.
  uint32_t sleeper;     // A task that has asked for a timer.
  bool is_timer;        // The current job was called by a timer.
  bool jumps;           // A runtime function that was called here will end with a jump to the one that runs a job.
} self;

static uint64_t here(void) { return (uint64_t)(uintptr_t)__builtin_frame_address(0); }

// Uses the id and not the task, which may be freed when it is over.
static void end(run *r) {
  if (r->is_over) return;
  r->is_over = true;
  if (r->number) task_completed(r->recorder, r->number);
  task_slot *slot = task_find(r->id);
  // If its creator has not described it yet, the slot is left for the creator.
  if (slot && atomic_fetch_or_explicit(&slot->state, task_is_over, memory_order_acq_rel) & task_is_described) task_remove(slot);
}

static void pop(bool is_over) {
  run *r = &self.runs[--self.count];
  frame_cut(r->depth);
  if (is_over) end(r);
}

// Runs that began at this depth or deeper are over: they are no longer on the stack, although no hook has seen them stop.
static void settle(uint64_t sp) {
  while (self.count && self.runs[self.count - 1].sp <= sp) pop(true);
}

// ---- Running -------------------------------------------------------------------------------------------------------

// Null: it is not the program's.
static task_slot *slot_of(optrace_recorder *recorder, uint64_t id) {
  task_slot *slot = task_find(id);
  if (!slot) {
    // Tasks that a timer runs belong to the runtime itself. Any other task will be described by its creator, or was created before the
    // recording began.
    if (self.is_timer) return NULL;
    slot = task_add(id, task_next_number(recorder));
    if (!slot) {
      recorder_count_lost(recorder, optrace_loss_table_full, 1);
      return NULL;
    }
  }
  return task_number(slot) == task_not_ours ? NULL : slot;
}

// Records what can be found out only while the task is running.
static void record_details(optrace_recorder *recorder, const void *task, task_slot *slot, uint32_t number) {
  if (task_set(slot, task_is_named)) {
    const char *name = swift_jobs.name ? swift_jobs.name() : NULL;
    if (name) task_named(recorder, number, name);
  }
  if (swift_jobs.is_cancelled && swift_jobs.is_cancelled(task) && task_set(slot, task_is_cancelled))
    task_cancelled(recorder, number);
}

static void hook_enter(void *state) {
  ((void (*)(void *))real(index_enter))(state);
  optrace_recorder *recorder = task_recorder();
  self.jumps = false;
  const void *task = recorder ? swift_jobs.current() : NULL;
  if (!task) return;
  uint64_t sp = here();
  // A task that was about to suspend, but need not, continues deeper on the stack of the same job.
  if (self.stopped == task && self.stopped_sp > sp) sp = self.stopped_sp;
  self.stopped = NULL;
  settle(sp);
  self.sleeper = 0;
  if (self.count == most_runs) return;
  uint64_t id = swift_jobs.id(task);
  task_slot *slot = slot_of(recorder, id);
  uint32_t number = slot ? task_number(slot) : 0;
  self.runs[self.count++] = (run){recorder, task, state, id, sp, number, frame_depth(), false};
  frame_push_work(number ? (work){recorder, number} : (work){NULL, 0});
  if (!number) return;
  task_runs(recorder, number);
  record_details(recorder, task, slot, number);
  pauses_before_work(number, pauses_begins);
}

static void stops(void *state) {
  uint32_t index = self.count;
  while (index && self.runs[index - 1].state != state) index--;
  if (!index) return;
  while (self.count > index) pop(true);
  run r = self.runs[index - 1];
  self.stopped = r.task;
  self.stopped_sp = r.sp;
  if (r.number && recorder_is_enabled(r.recorder)) {
    task_suspension suspension = task_suspension_of(r.recorder, r.task);
    task_slot *other = suspension.awaited ? task_find(swift_jobs.id(suspension.awaited)) : NULL;
    uint32_t awaited = other ? task_number(other) : 0;
    if (suspension.reason == suspended_for_continuation && self.sleeper == r.number) suspension.reason = suspended_asleep;
    task_suspended(r.recorder, r.number, suspension.reason, awaited == task_not_ours ? 0 : awaited, suspension.stack);
  }
  self.sleeper = 0;
  pop(false);
}

static void hook_exit(void *state) {
  stops(state);
  ((void (*)(void *))real(index_exit))(state);
}

// ---- Jobs ----------------------------------------------------------------------------------------------------------

typedef struct {
  uint32_t count;
  bool is_timer;
} job;

static job begin_job(bool is_timer) {
  settle(here());
  job outer = {self.count, self.is_timer};
  self.is_timer = is_timer;
  self.stopped = NULL;
  return outer;
}

static void end_job(job outer) {
  self.jumps = false;
  while (self.count > outer.count) pop(true);
  self.is_timer = outer.is_timer;
  self.stopped = NULL;
}

typedef SWIFT void (*run_job)(void *job, uint64_t first, uint64_t second, uint64_t third, uint64_t fourth);
#define JOB_HOOK(name)                                                                                             \
  static SWIFT void hook_##name(void *task, uint64_t first, uint64_t second, uint64_t third, uint64_t fourth) {    \
    if (self.jumps) {                                                                                              \
      self.jumps = false;                                                                                          \
      return ((run_job)real(index_##name))(task, first, second, third, fourth);                                    \
    }                                                                                                              \
    job outer = begin_job(false);                                                                                  \
    ((run_job)real(index_##name))(task, first, second, third, fourth);                                             \
    end_job(outer);                                                                                                \
  }
JOB_HOOK(job_run)
JOB_HOOK(job_run_on_task_executor)
JOB_HOOK(job_run_on_serial_and_task_executor)

// Called when a job is put into a queue, before it can run.
static void enqueued(const void *of, bool is_main) {
  optrace_recorder *recorder = task_recorder();
  if (!recorder || !of || self.announced == of || !job_is_task(of)) return;
  task_slot *slot = task_find(swift_jobs.id(of));
  if (slot && task_number(slot) != task_not_ours) task_enqueued(recorder, task_number(slot), is_main);
  if (!slot) creating_this(of, true, is_main);
}

// ---- Events that only entry hooks see --------------------------------------------------------------------------------

const void *tasks_announce(const void *job, bool is_main) {
  enqueued(job, is_main);
  const void *outer = self.announced;
  self.announced = job;
  return outer;
}

void tasks_announced(const void *outer) { self.announced = outer; }

// The number of a task; 0: it does not belong to the program.
static uint32_t number_of(const void *task) {
  task_slot *slot = task_find(swift_jobs.id(task));
  uint32_t number = slot ? task_number(slot) : task_not_ours;
  return number == task_not_ours ? 0 : number;
}

void tasks_given(const void *job, const void *actor) {
  optrace_recorder *recorder = task_recorder();
  if (!recorder || !job || !actor || !job_is_task(job)) return;
  // It may run on another thread before its creator continues.
  creating_this(job, false, false);
  uint32_t number = number_of(job);
  if (!number) return;
  const void *class = *(const void *const *)actor;
  task_queued(recorder, number, actor_number(actor), readers.name_class ? class_number(recorder, class) : 0);
}

void tasks_resumed(const void *task, uint32_t how) {
  optrace_recorder *recorder = task_recorder();
  uint32_t number = recorder && task ? number_of(task) : 0;
  if (!number) return;
  task_resumed(recorder, number, how);
  pauses_before_work(number, pauses_resumed);
}

void tasks_ends(const void *task) {
  uint32_t index = self.count;
  while (index && self.runs[index - 1].task != task) index--;
  if (!index) return;
  while (self.count > index) pop(true);
  // This task resumes the tasks that wait for it.
  end(&self.runs[index - 1]);
}

void tasks_ended(const void *task) {
  if (self.count && self.runs[self.count - 1].is_over && self.runs[self.count - 1].task == task) pop(true);
}

// ---- Jobs of libdispatch ---------------------------------------------------------------------------------------------

// The runtime gives libdispatch one function that runs all jobs, and one for timers.
static function _Atomic by_queue, by_delay, by_timer;

// If the runtime is linked into the program, its own call of that function is seen, too. It is a jump, so it seems to come from here.
static job begin_runtimes_job(bool is_timer) {
  job outer = begin_job(is_timer);
  self.jumps = task_imports[index_job_run].in_program;
  return outer;
}

static void run_by_queue(void *context) {
  job outer = begin_runtimes_job(false);
  atomic_load_explicit(&by_queue, memory_order_relaxed)(context);
  end_job(outer);
}
static void run_by_delay(void *context) {
  job outer = begin_runtimes_job(true);
  atomic_load_explicit(&by_delay, memory_order_relaxed)(context);
  end_job(outer);
}
static void run_by_timer(void *context) {
  job outer = begin_runtimes_job(true);
  atomic_load_explicit(&by_timer, memory_order_relaxed)(context);
  end_job(outer);
}

bool tasks_run_by(function one) { return one == run_by_queue || one == run_by_delay || one == run_by_timer; }

// The function to run in place of `run`. Only the first function of each kind is replaced.
static function through(function _Atomic *slot, function run, function ours) {
  function known = NULL;
  return atomic_compare_exchange_strong(slot, &known, run) || known == run ? ours : run;
}

// If the runtime is linked into the program, its calls of libdispatch are seen among all other calls. So its functions are found by name.
static void know_functions(void) {
  if (!task_imports[index_async_f].in_program) return;
  function run = (function)book_find("_ZL15__swift_run_jobPv");
  // For a name that does not exist, use a function that is never passed.
  if (!run) run = run_by_queue;
  atomic_store(&by_queue, run);
  atomic_store(&by_delay, run);
  function timer = (function)book_find("_ZL21_swift_run_job_leewayP18__swift_job_source");
  atomic_store(&by_timer, timer ? timer : run_by_timer);
}

// The main actor's executor is the main queue.
static const void *main_queue;

static void hook_async_f(void *queue, void *context, function run) {
  if (task_recorder()) {
    function by = through(&by_queue, run, run_by_queue);
    if (by != run) enqueued(context, queue == main_queue);
    run = by;
  }
  ((void (*)(void *, void *, function))real(index_async_f))(queue, context, run);
}

static void wants_timer(void) { self.sleeper = self.count ? self.runs[self.count - 1].number : 0; }

static void hook_after_f(uint64_t when, void *queue, void *context, function run) {
  if (task_recorder()) {
    wants_timer();
    run = through(&by_delay, run, run_by_delay);
  }
  ((void (*)(uint64_t, void *, void *, function))real(index_after_f))(when, queue, context, run);
}

static void hook_handler_f(void *source, function run) {
  if (task_recorder()) {
    wants_timer();
    run = run ? through(&by_timer, run, run_by_timer) : run;
  }
  ((void (*)(void *, function))real(index_handler_f))(source, run);
}

// ---- Cancelling ----------------------------------------------------------------------------------------------------

static void cancelled(const void *task) {
  optrace_recorder *recorder = task_recorder();
  task_slot *slot = recorder && task ? task_find(swift_jobs.id(task)) : NULL;
  if (slot && task_number(slot) != task_not_ours && task_set(slot, task_is_cancelled)) task_cancelled(recorder, task_number(slot));
}

// The method of `Task`, with its generic parameters, and the runtime function that it calls.
typedef SWIFT void (*cancel)(void *task, uint64_t first, uint64_t second, uint64_t third);
static SWIFT void hook_cancel(void *task, uint64_t first, uint64_t second, uint64_t third) {
  cancelled(task);
  ((cancel)real(index_cancel))(task, first, second, third);
}
static SWIFT void hook_task_cancel(void *task, uint64_t first, uint64_t second, uint64_t third) {
  cancelled(task);
  ((cancel)real(index_task_cancel))(task, first, second, third);
}

// ---- Installing ----------------------------------------------------------------------------------------------------

#define RUNTIME(its_name) [index_##its_name] = {.name = "swift_" #its_name, .hook = hook_##its_name}
#define WITHIN(function, its_hook) {.name = function, .hook = its_hook, .within = "swift_task_create"}

hooked_import task_imports[] = {
  [creating_task] = {.name = "swift_task_create", .hook = creating_hook_task},
  [creating_let] = {.name = "swift_asyncLet_begin", .hook = creating_hook_let},
  [index_enter] = WITHIN("swift_task_enterThreadLocalContext", hook_enter),
  [index_exit] = WITHIN("swift_task_exitThreadLocalContext", hook_exit),
  RUNTIME(job_run), RUNTIME(job_run_on_task_executor), RUNTIME(job_run_on_serial_and_task_executor),
  [index_cancel] = {.name = "$sScT6cancelyyF", .hook = hook_cancel}, RUNTIME(task_cancel),
  [index_async_f] = WITHIN("dispatch_async_f", hook_async_f), [index_after_f] = WITHIN("dispatch_after_f", hook_after_f),
  [index_handler_f] = WITHIN("dispatch_source_set_event_handler_f", hook_handler_f),
  {0},
};

// The layout of tasks; null: not known. Then nobody knows what tasks wait for, which the trace says.
static const optrace_task_layout *layout;

// Null, or the reason why tasks cannot be recorded.
static const char *prepare_runtime(void) {
  static bool is_prepared;
  if (is_prepared) return NULL;
  layout = task_layout_said();
  if (!jobs_prepare(task_imports[creating_task].in_program, layout) || !task_imports[index_enter].real || !task_imports[index_exit].real)
    return "this program's concurrency library lacks functions that OpTrace needs";
  if (layout && !task_layout_tried(layout, task_imports[creating_task].real)) layout = NULL;
  if (!layout && jobs_read_layout()) return "the tasks of this program's concurrency library have another layout";
  is_prepared = true;
  return NULL;
}

const char *tasks_prepare(optrace_recorder *recorder) {
  // The program has no tasks.
  if (!task_imports[creating_task].real) return NULL;
  const char *why = prepare_runtime();
  if (why) return why;
  if (!task_table_prepare()) return "the system has no memory that is wiped in a forked child";
  static bool was_used;
  if (was_used) task_table_clear();
  was_used = true;
  creating_prepare(task_imports, layout);
  suspension_prepare(layout);
  record_tasks(recorder);
  know_functions();
  main_queue = book_find("_dispatch_main_q");
  return NULL;
}
#endif
