// Installing and removing the hooks.
#include "COpTraceHooks.h"

#include "../describe/layout.h"
#include "../dispatch/submitted.h"
#include "../layouts/left_out.h"
#include "../life/sources.h"
#include "../loops/loops.h"
#include "../memory/hooks.h"
#include "../memory/memory.h"
#include "../objects/classes.h"
#include "../objects/foundation.h"
#include "../objects/objects.h"
#include "../objects/readers.h"
#include "../objects/state.h"
#include "../orders/orders.h"
#include "../pauses/pauses.h"
#include "../stacks/events.h"
#include "blocking.h"
#include "blocks.h"
#include "calls.h"
#include "contended.h"
#include "dispatch.h"
#include "entered.h"
#include "imports.h"
#include "inside.h"
#include "libraries.h"
#include "loops.h"
#include "once.h"
#include "operations.h"
#include "orders.h"
#include "queues.h"
#include "runtime_entries.h"
#include "sleeping.h"
#include "system.h"
#include "tasks.h"
#include "test_frameworks.h"
#include "timers.h"

#if OPTRACE_HAS_HOOKS
static bool is_swift(void) { return readers_are_compiled(); }

static hooked_method *const methods[] = {[class_operation] = operation_methods, [class_queue] = queue_methods};
static hooked_import *const imports[import_tables] = {
  [imports_foundation] = foundation_imports, [imports_blocking] = blocking_imports,
  [imports_sleeping] = sleeping_imports, [imports_timers] = timer_imports, [imports_once] = once_imports,
  [imports_calls] = call_imports, [imports_contended] = contended_imports,
  [imports_system] = system_imports, [imports_libraries] = library_imports, [imports_orders] = order_imports,
  [imports_memory] = memory_imports,
  [imports_dispatch] = dispatch_imports, [imports_tasks] = task_imports, [imports_loops] = loop_imports,
  [imports_tests] = test_imports,
};

// The loaded Foundation does not have the layout that this recorder knows, so operations are not recorded.
static bool is_misfit;

// Whether the process can have operations. With the recorder's Swift part it always can, because that is linked with Foundation. Without
// it, a program may use only blocks and tasks and no Foundation; then no hooks of operations are installed.
static bool has_operations(void) { return is_swift() || (foundation_is_there() && !is_misfit); }

// Examines Foundation without changing anything. Null, or the reason why its layout does not fit.
static const char *prepare(void) {
  static bool is_prepared;
  if (is_prepared) return NULL;
  if (!readers.ask) return "OpTrace is only partially linked";
  const char *why = is_swift() ? NULL : layout_prepare();
  if (!why) why = classes_resolve(methods);
  if (!why) operations_prepare();
  is_prepared = !why;
  is_misfit = why && !is_swift();
  return why;
}

const char *optrace_hooks_misfit(void) { return has_operations() ? prepare() : NULL; }

uint32_t optrace_hooks_class_facts(const void *metadata) {
  return prepare() ? optrace_class_answers_itself : class_facts_of(metadata);
}

const char *optrace_hooks_install(void) {
  if (hooks_active()) return NULL;
  const char *why = hooks_prepare_state();
  // Also where there are no operations, so that no class is looked at.
  classes_patch_imports_by(imports_patch);
  // A preloaded recorder starts before the program's threads, and reports what is left out.
  static bool is_resolved;
  if (!why && is_swift() && !is_resolved) why = entered_misfit();
  bool operations = has_operations();
  if (!why && operations) why = prepare();
  if (why) return why;
  if (!imports_resolve(methods, imports, operations)) return "this Foundation lacks a function that OpTrace hooks";
  is_resolved = true;
  blocking_prepare();
  once_prepare();
  contended_prepare();
  timers_prepare();
  sources_set_refresh(classes_refresh);
  hooks_set_active(true);
  if (operations && !classes_patch(true)) {
    hooks_set_active(false);
    classes_patch(false);
    return "the method tables of Foundation's classes cannot be written";
  }
  classes_refresh();
  events_watch_timers();
  return NULL;
}

// Null, or the reason why the functions of a table cannot be hooked any more, if the table was not requested before.
static const char *comes_late(int table) { return is_swift() && !imports_wanted(table) ? entered_misfit() : NULL; }

// Recorded whenever blocks or tasks are, because these need the thread that such a wait holds, and at less cost than they.
static void record_holdups(void) {
  inside_want_holdups();
  imports_want(imports_calls);
  imports_want(imports_contended);
}

// Turns of event loops are recorded whenever blocks or tasks are, because these wait for the loop. It costs less than they do.
static void record_loops(optrace_recorder *recorder) {
  loops_record(recorder);
  imports_want(imports_loops);
}

const char *optrace_record_dispatch(optrace_recorder *recorder) {
  const char *why = comes_late(imports_dispatch);
  if (why) return why;
  leave_out(blocks_misfit());
  record_submitted(recorder);
  imports_want(imports_dispatch);
  record_loops(recorder);
  record_holdups();
  classes_refresh();
  return NULL;
}

const char *optrace_record_tasks(optrace_recorder *recorder) {
  const char *why = comes_late(imports_tasks);
  if (!why) why = tasks_prepare(recorder);
  if (why) return why;
  imports_want(imports_tasks);
  record_loops(recorder);
  record_holdups();
  classes_refresh();
  // In a program that is linked with OpTrace the recorder does not change code of libraries, because other threads may be running.
  if (!is_swift() || book_is_static()) runtime_entries_take();
  return NULL;
}

const char *optrace_record_orders(optrace_recorder *recorder) {
  const char *why = orders_begin(recorder);
  if (why) return why;
  imports_want(imports_orders);
  classes_refresh();
  return NULL;
}

const char *optrace_pause(const char *text) {
  const char *why = pauses_begin(text);
  if (!why) orders_pause();
  return why;
}

const char *optrace_record_memory(optrace_recorder *recorder, uint64_t interval) {
  const char *why = memory_begin(recorder, interval);
  if (why) return why;
  imports_want(imports_memory);
  classes_refresh();
  return NULL;
}

void optrace_record_tests(optrace_recorder *recorder) {
  if (!(tests_prepare(recorder) & test_frameworks_testing)) return;
  imports_want(imports_tests);
  classes_refresh();
}

void optrace_hooks_pass(void) {
  if (hooks_active()) hooks_set_active(false);
}

void optrace_hooks_remove(void) {
  if (!hooks_active()) return;
  hooks_set_active(false);
  classes_patch(false);
  objects_forget();
}

#else

// This system has no hooks: operations of classes that are not ours are recorded in other ways, or only in part.
const char *optrace_hooks_misfit(void) {
  return "this system has no hooks";
}
const char *optrace_hooks_install(void) {
  return "this system has no hooks";
}
void optrace_hooks_remove(void) {}
void optrace_hooks_pass(void) {}
const char *optrace_record_dispatch(optrace_recorder *recorder) {
  (void)recorder;
  return "this system has no hooks";
}
const char *optrace_record_tasks(optrace_recorder *recorder) {
  (void)recorder;
  return "this system has no hooks";
}
const char *optrace_record_orders(optrace_recorder *recorder) {
  (void)recorder;
  return "this system has no hooks";
}
const char *optrace_pause(const char *text) {
  (void)text;
  return "this system has no hooks";
}
const char *optrace_record_memory(optrace_recorder *recorder, uint64_t interval) {
  return (void)recorder, (void)interval, "this system has no hooks";
}
void optrace_record_tests(optrace_recorder *recorder) { (void)recorder; }
uint32_t optrace_hooks_class_facts(const void *metadata) {
  (void)metadata;
  return optrace_class_answers_itself;
}
#endif
