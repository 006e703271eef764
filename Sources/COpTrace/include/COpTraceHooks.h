// Records operations of classes that are not ours, on Linux: with hooks in the method tables of Foundation's classes and their
// subclasses, and in the imports of loaded objects. See `Documentation/recorder.md`.
#ifndef COPTRACE_HOOKS_H
#define COPTRACE_HOOKS_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether hooks can be installed: null, or the reason why not. Changes nothing, and uses nothing in Foundation whose layout may differ.
// Not for two threads at a time, nor together with the functions below.
const char *optrace_hooks_misfit(void);
// Installs the hooks. Null, or the reason why that is not possible; then nothing is changed. Not for two threads at a time.
const char *optrace_hooks_install(void);
// What the describer has to know of a class of operations that the hooks tell (COpTraceDescribe.h). Installs nothing, and patches the class
// if they are installed. Not for two threads at a time, nor together with `optrace_hooks_install`.
uint32_t optrace_hooks_class_facts(const void *metadata);
// Whether Swift's libraries are linked into the program, and contain something to record: operations, or blocks or tasks if these are
// wanted. True also if that is not known, because the symbols were stripped. Opens the program's file if no Swift library is loaded.
bool optrace_links_recorded(bool dispatch, bool tasks);
// Call it before the recorder creates its own thread. If this thread is the only one at that moment, functions that are linked into the
// program may be hooked at their entries until `optrace_hooks_begun`.
void optrace_hooks_begin(void);
void optrace_hooks_begun(void);
// For a program that has Swift's libraries linked into it: what could not be hooked, as part of a sentence; null: nothing was left out.
const char *optrace_hooks_left_out(void);
// Removes the hooks, except where somebody else has changed the table entry since.
void optrace_hooks_remove(void);
// From now on the hooks only make the original calls. Takes no lock, for the end of the process.
void optrace_hooks_pass(void);
// Sets the watcher, which records operations and queues that nobody has introduced (any pointer that the caller keeps alive), and the
// recorder of waits that belong to no operation. Null: none.
void optrace_hooks_watch(void *recorder, optrace_recorder *core);
void *optrace_hooks_watcher(void);

// From now on blocks of dispatch queues are recorded, and from a millisecond on the waits of work in system calls and for locks that another
// thread has. The hooks stay installed; for a stopped recorder they record nothing. Null, or the reason why blocks cannot be recorded; then
// nothing is changed.
const char *optrace_record_dispatch(optrace_recorder *recorder);
// From now on tasks are recorded; as above. Null also if this process cannot have tasks. Otherwise the reason why they cannot be
// recorded; then nothing is changed.
const char *optrace_record_tasks(optrace_recorder *recorder);

// From now on the orders are recorded in which locks of the C library and the like are taken while others are held; as above.
const char *optrace_record_orders(optrace_recorder *recorder);
// Once orders are recorded, threads pause where this text says, as `optrace provoke` and `optrace shake` set it in OPTRACE_PAUSES. Before
// `optrace_record_orders`. Null, or why they do not.
const char *optrace_pause(const char *text);
// From now on allocations are sampled: one byte in `interval` is chosen. Null, or the reason why they cannot be; the trace says so, too. One
// recorder of the process at a time.
const char *optrace_record_memory(optrace_recorder *recorder, uint64_t interval);

// From now on tests of XCTest and Swift Testing are recorded as spans, and the work that they submit as within these spans.
void optrace_record_tests(optrace_recorder *recorder);

// Begins a recorder with the options of the environment (OPTRACE_OUTPUT and others), records everything in the process until it exits,
// and says on standard error what does not work. For a preloaded object: called once, before `main`, without the recorder's Swift part.
void optrace_begin_from_outside(void);

// The same in a program that runs already, on a thread of ours, with options that are texts "NAME=VALUE", each with a zero behind it, and an
// empty one; they stay. `recording` gets the trace's path, `complaint` what does not work, and what becomes of the recording. False: nothing
// is recorded. `optrace_end_late` ends it and removes all hooks; then it may be begun again. Returns the system's error number if the trace
// was not closed properly.
bool optrace_begin_late(const char *settings, void (*recording)(const char *path), void (*complaint)(const char *why, const char *result));
int optrace_end_late(void);

// The entry of an object of a class that is not ours, valid as long as the object lives. Null: the object is not known.
optrace_operation *optrace_object_find(const void *object);
// Adds an entry for an object. Null: it cannot be watched. `is_queue`: it is an OperationQueue, else an Operation.
optrace_operation *optrace_object_know(void *object, bool is_queue);

// The offset of a stored property that the class itself declares; 0: it has none of this name, or that is not known on this system.
uint32_t optrace_class_field(const void *metadata, const char *name);

// Whether an operation's class has its own `start()` and states, so that the operation may continue after `start()` has returned.
bool optrace_object_runs_itself(const void *object);
// Whether an operation is still as it was created: it has no name, no quality of service and no dependency, was not cancelled, and is
// neither in a queue nor started. The answers are those of Foundation's own getters, without their locks. False also if that is not
// known.
bool optrace_object_is_untouched(const void *object);
// What Foundation's getters would return for an operation if this thread is inside its `start()`, without their locks. That works
// because only this thread changes Foundation's own state, and because the getters' answers in each state were observed with one
// operation when the hooks were prepared. Unknown: this thread does not run it, or the state was not observed.
enum { optrace_own_executing, optrace_own_finished, optrace_own_questions };
enum { optrace_own_unknown, optrace_own_no, optrace_own_yes };
uint8_t optrace_own_answer(const optrace_operation *operation, const void *object, uint32_t question);
void optrace_own_observed(const void *object, uint32_t question, bool answer);
// Whether an operation is neither in a queue nor started. False also if that is not known.
bool optrace_object_is_unused(const void *object);
// Whether a queue is starting it. Then its `start()` continues with its code, or finishes it if it was cancelled. It cannot trap, as it
// does when an operation is started by hand too early. False also if that is not known.
bool optrace_object_is_starting(const void *object);

// What Foundation itself knows about a queue, bypassing overrides: those are the program's code, and may wait for a lock that the caller
// holds. The last three must point to nil, or a default, of Swift's types. False without hooks.
typedef struct {
  int64_t *limit;
  bool *suspended;
  void *name, *quality, *underlying;
} optrace_queue_values;
bool optrace_queue_ask(void *queue, const optrace_queue_values *to);

#ifdef __cplusplus
}
#endif

#endif
