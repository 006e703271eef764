// Recording operations that are not ours: hooks in the method tables of Foundation's classes and their subclasses, and in the
// imports of loaded objects. On Linux. See `Documentation/hooks.md`.
#ifndef COPTRACE_HOOKS_H
#define COPTRACE_HOOKS_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// What hooks call: the recorder's Swift part, or where there is none, describe/. Objects are passed without ownership, and live
// during the call.
typedef struct {
  // Class metadata of our own types. Null: there are none.
  const void *traced_operation, *traced_block_operation, *traced_async_operation;
  // Metadata of subclasses that override nothing: Foundation's classes as the compiler saw them; see hooks/layout.c. Null:
  // there was no such compiler.
  const void *compiled_operation, *compiled_block_operation, *compiled_queue;
  // Returns a new operation, owned by the caller. While it is started, it reports what Foundation's getters return
  // (`optrace_own_observed`). Null: none can be made.
  void *(*make_operation)(void);
  // Whether objects of this class record themselves.
  bool (*records_itself)(const void *metadata);
  // What such an operation carries.
  optrace_operation *(*probe)(void *operation);
  // Describes an unknown operation that starts, is waited for, and so on. `is_running`: it runs, and its start was not seen; a
  // known operation is then described again, as partially seen.
  void (*introduce)(void *operation, bool is_running);
  // An unknown operation is about to be freed; `deinit` has not begun.
  void (*goes_unmet)(void *operation);
  void (*dependency)(void *operation, void *other, bool added);
  // `kind`: the record of the change. `value`: points to the new value, of Swift's type.
  void (*operation_changed)(void *operation, uint8_t kind, const void *value);
  // These three also begin `adding`; see COpTrace.h.
  void (*enqueue)(void *queue, void *operation, optrace_adding *adding);
  void (*enqueue_all)(void *queue, void *array, optrace_adding *adding);
  // Returns the two words of a closure that runs and owns the one with the words `function` and `context`.
  bool (*barrier)(void *queue, void *function, void *context, void **new_function, void **new_context,
                  optrace_adding *adding);
  // The same for the completion block of a finished operation. Returns no function if nothing is recorded.
  void (*completion)(optrace_operation *operation, void *function, void *context, void **new_function, void **new_context);
  // Waits for each operation of an array.
  void (*wait_all)(void *array);
  void (*release)(void *context);
  // The queue's number in the recorder that it belongs to; 0: it has none.
  uint32_t (*queue_number)(void *queue, optrace_recorder **recorder);
  void (*queue_event)(void *queue, uint8_t kind);
  void (*queue_value)(void *queue, uint8_t kind, int64_t value);
  void (*queue_changed)(void *queue, uint8_t kind, const void *value);
  // Copies Swift strings as UTF-8, cut to `room`; return how many bytes were written. `joined`: an array of strings, joined by
  // slashes. `text`: one string, by its two words, which it consumes.
  size_t (*joined)(void *texts, char *to, size_t room);
  size_t (*text)(uint64_t first, uint64_t second, char *to, size_t room);
  // The number of a class's name in a trace; 0: there is no room for it. Null: nobody can tell.
  uint32_t (*class_of)(optrace_recorder *recorder, const void *metadata);
} optrace_hook_calls;

// What describes operations and queues where the recorder has no Swift part: `prepare` proves what it relies on, and says null or why
// nothing can be described; `fill` gives the functions. Before all others here.
void optrace_hooks_describe_by(const char *(*prepare)(void), void (*fill)(optrace_hook_calls *));
// Whether hooks can be installed: null, or the reason why not. Changes nothing, and uses nothing of Foundation whose layout could
// differ. Not for two threads at a time, nor together with the functions below.
const char *optrace_hooks_misfit(void);
// Installs the hooks. Null, or the reason why they cannot be; then nothing is changed. Not for two threads at a time.
const char *optrace_hooks_install(void);
// Whether operations of this class have their own `isReady`: neither Foundation's nor ours. False also if that is not known.
// Installs nothing. Not for two threads at a time, nor together with `optrace_hooks_install`.
bool optrace_class_readies_itself(const void *metadata);
// The same for `isExecuting`.
bool optrace_class_executes_itself(const void *metadata);
// Whether operations of this class are ours, with their own `start()` and `isFinished`. The same conditions.
bool optrace_class_runs_alone(const void *metadata);
// Whether the program has Swift's libraries linked into it, with something that can be recorded: operations, or blocks or tasks where
// these are wanted. True also if its symbols were stripped, so that nobody can tell. Opens the program's file if no library of Swift's
// is loaded.
bool optrace_links_recorded(bool dispatch, bool tasks);
// Call it before anything of the recorder's runs, which has a thread of its own: where this thread is the only one until then, functions
// that are linked into the program may be taken until `optrace_hooks_begun`.
void optrace_hooks_begin(void);
void optrace_hooks_begun(void);
// What of a program that has Swift's libraries linked into it could not be hooked, in one sentence part; null: nothing was left out.
const char *optrace_hooks_left_out(void);
// Removes the hooks wherever they are unchanged.
void optrace_hooks_remove(void);
// Sets the recorder of operations and queues that nobody has introduced, as any pointer that the caller keeps alive, and the
// recorder of waits that belong to no operation. Null: none.
void optrace_hooks_watch(void *recorder, optrace_recorder *core);
void *optrace_hooks_watcher(void);

// From here on blocks of dispatch queues are recorded. The hooks stay installed; for a stopped recorder they record nothing. Null, or
// the reason why they cannot be recorded; then nothing is changed.
const char *optrace_record_dispatch(optrace_recorder *recorder);
// From here on tasks are recorded; as above. Null also if no program of this process can have tasks. Otherwise the reason why
// they cannot be recorded; then nothing is changed.
const char *optrace_record_tasks(optrace_recorder *recorder);

// From here on tests of XCTest and Swift Testing are recorded as spans, and what they submit as within them.
void optrace_record_tests(optrace_recorder *recorder);

// Begins a recorder as the environment asks for it (OPTRACE_OUTPUT and others), records everything of the process until it exits, and
// says on standard error what does not work. For an object that is preloaded: before `main`, and without the recorder's Swift part.
// Once.
void optrace_begin_from_outside(void);

// The entry of an object that is not ours, for as long as the object lives. Null: not known.
optrace_operation *optrace_object_find(const void *object);
// Makes an object known. Null: it cannot be watched. `is_queue`: an OperationQueue, else an Operation.
optrace_operation *optrace_object_know(void *object, bool is_queue);

// The offset of a stored property that a class itself declares; 0: it has none of this name, or that is not known on this system.
uint32_t optrace_class_field(const void *metadata, const char *name);

// Whether an operation's class has its own `start()` and states: it may go on after `start()` has returned.
bool optrace_object_runs_itself(const void *object);
// Whether an operation's class overrides a getter that its description asks. True also if that is not known.
bool optrace_object_answers_itself(const void *object);
// Whether nothing has been done with an operation: it has no name, no quality of service and no dependency, was not cancelled,
// and is neither in a queue nor started. As Foundation's own getters would say, without their locks. False also if that is
// not known.
bool optrace_object_is_untouched(const void *object);
// What Foundation's getters would return for an operation whose `start()` this thread is inside of, without their locks. Only
// that thread changes Foundation's own state, and what the getters return in each state was observed with one operation when the
// hooks were prepared. Unknown: this thread does not run it, or that was not observed.
enum { optrace_own_executing, optrace_own_finished, optrace_own_questions };
enum { optrace_own_unknown, optrace_own_no, optrace_own_yes };
uint8_t optrace_own_answer(const optrace_operation *operation, const void *object, uint32_t question);
void optrace_own_observed(const void *object, uint32_t question, bool answer);
// Whether an operation is neither in a queue nor started. False also if that is not known.
bool optrace_object_is_unused(const void *object);
// Whether a queue is starting it: its `start()` goes on to its code, or ends it if it was cancelled, and does not trap as for an
// operation that is started by hand and must not be. False also if that is not known.
bool optrace_object_is_starting(const void *object);

// The name and the dependencies that Foundation itself knows of an operation, past overrides. The arguments point to nil and to
// an empty array, of Swift's types. False without hooks.
bool optrace_operation_ask(void *operation, void *name, void *dependencies);

// What Foundation itself knows of a queue, past overrides: those are the program's code, and may wait for a lock that the caller
// holds. The last three point to nil, or a default, of Swift's types. False without hooks.
typedef struct {
  int64_t *limit;
  bool *suspended;
  void *name, *quality, *underlying;
} optrace_queue_answers;
bool optrace_queue_ask(void *queue, const optrace_queue_answers *to);

#ifdef __cplusplus
}
#endif

#endif
