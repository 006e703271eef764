// Records operations of classes that are not ours, on Linux: with hooks in the method tables of Foundation's classes and their
// subclasses, and in the imports of loaded objects. See `Documentation/hooks.md`.
#ifndef COPTRACE_HOOKS_H
#define COPTRACE_HOOKS_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// The functions that hooks call. They are implemented by the recorder's Swift part, or by describe/ if there is none. Objects are
// passed without ownership, and are alive during the call.
typedef struct {
  // Class metadata of our own types. Null: there are no such types.
  const void *traced_operation, *traced_block_operation, *traced_async_operation;
  // Metadata of subclasses that override nothing. They show the layout of Foundation's classes that the compiler knew; see
  // hooks/layout.c. Null: nothing was compiled against Foundation.
  const void *compiled_operation, *compiled_block_operation, *compiled_queue;
  // Returns a new operation, owned by the caller. When it is started, it reports what Foundation's getters return
  // (`optrace_own_observed`). Null: none can be made.
  void *(*make_operation)(void);
  // Whether objects of this class record themselves.
  bool (*records_itself)(const void *metadata);
  // The entry that such an operation contains.
  optrace_operation *(*probe)(void *operation);
  // Describes an unknown operation that starts, is waited for, and so on. `is_running`: it is running, and its start was not seen. Then
  // even a known operation is described again, as partially seen.
  void (*introduce)(void *operation, bool is_running);
  // An unknown operation is about to be freed; `deinit` has not begun.
  void (*goes_unmet)(void *operation);
  void (*dependency)(void *operation, void *other, bool added);
  // `kind`: the kind of record for the change. `value`: points to the new value, of the property's Swift type.
  void (*operation_changed)(void *operation, uint8_t kind, const void *value);
  // These three also begin `adding`; see COpTrace.h.
  void (*enqueue)(void *queue, void *operation, optrace_adding *adding);
  void (*enqueue_all)(void *queue, void *array, optrace_adding *adding);
  // Sets the two words of a new closure, which runs and owns the closure with the words `function` and `context`.
  bool (*barrier)(void *queue, void *function, void *context, void **new_function, void **new_context,
                  optrace_adding *adding);
  // The same for the completion block of a finished operation. Sets no function if nothing is recorded.
  void (*completion)(optrace_operation *operation, void *function, void *context, void **new_function, void **new_context);
  // Waits for each operation of an array.
  void (*wait_all)(void *array);
  void (*release)(void *context);
  // The queue's number in its recorder; 0: it has none.
  uint32_t (*queue_number)(void *queue, optrace_recorder **recorder);
  void (*queue_event)(void *queue, uint8_t kind);
  void (*queue_value)(void *queue, uint8_t kind, int64_t value);
  void (*queue_changed)(void *queue, uint8_t kind, const void *value);
  // Copy Swift strings as UTF-8, at most `room` bytes; return how many bytes were written. `joined`: an array of strings, joined by
  // slashes. `text`: one string, given by its two words, which are consumed.
  size_t (*joined)(void *texts, char *to, size_t room);
  size_t (*text)(uint64_t first, uint64_t second, char *to, size_t room);
  // The number of a class's name in a trace; 0: there is no room for it. The function may be null: then names are not known.
  uint32_t (*class_of)(optrace_recorder *recorder, const void *metadata);
} optrace_hook_calls;

// Sets what describes operations and queues if the recorder has no Swift part. `prepare` verifies what it relies on, and returns null or
// the reason why nothing can be described; `fill` provides the functions. Call it before all other functions of this header.
void optrace_hooks_describe_by(const char *(*prepare)(void), void (*fill)(optrace_hook_calls *));
// Whether hooks can be installed: null, or the reason why not. Changes nothing, and uses nothing in Foundation whose layout may differ.
// Not for two threads at a time, nor together with the functions below.
const char *optrace_hooks_misfit(void);
// Installs the hooks. Null, or the reason why that is not possible; then nothing is changed. Not for two threads at a time.
const char *optrace_hooks_install(void);
// Whether operations of this class have their own `isReady`: neither Foundation's nor ours. False also if that is not known.
// Installs nothing. Not for two threads at a time, nor together with `optrace_hooks_install`.
bool optrace_class_readies_itself(const void *metadata);
// The same for `isExecuting`.
bool optrace_class_executes_itself(const void *metadata);
// Whether this class is one of ours with its own `start()` and `isFinished`. The same conditions.
bool optrace_class_runs_alone(const void *metadata);
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

// From now on blocks of dispatch queues are recorded. The hooks stay installed; for a stopped recorder they record nothing. Null, or
// the reason why blocks cannot be recorded; then nothing is changed.
const char *optrace_record_dispatch(optrace_recorder *recorder);
// From now on tasks are recorded; as above. Null also if this process cannot have tasks. Otherwise the reason why they cannot be
// recorded; then nothing is changed.
const char *optrace_record_tasks(optrace_recorder *recorder);

// From now on tests of XCTest and Swift Testing are recorded as spans, and the work that they submit as within these spans.
void optrace_record_tests(optrace_recorder *recorder);

// Begins a recorder with the options of the environment (OPTRACE_OUTPUT and others), records everything in the process until it exits,
// and says on standard error what does not work. For a preloaded object: called once, before `main`, without the recorder's Swift part.
void optrace_begin_from_outside(void);

// The entry of an object of a class that is not ours, valid as long as the object lives. Null: the object is not known.
optrace_operation *optrace_object_find(const void *object);
// Adds an entry for an object. Null: it cannot be watched. `is_queue`: it is an OperationQueue, else an Operation.
optrace_operation *optrace_object_know(void *object, bool is_queue);

// The offset of a stored property that the class itself declares; 0: it has none of this name, or that is not known on this system.
uint32_t optrace_class_field(const void *metadata, const char *name);

// Whether an operation's class has its own `start()` and states, so that the operation may continue after `start()` has returned.
bool optrace_object_runs_itself(const void *object);
// Whether an operation's class overrides a getter that its description calls. True also if that is not known.
bool optrace_object_answers_itself(const void *object);
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

// The name and the dependencies of an operation as Foundation itself knows them, bypassing overrides. The arguments must point to nil
// and to an empty array, of Swift's types. False without hooks.
bool optrace_operation_ask(void *operation, void *name, void *dependencies);

// What Foundation itself knows about a queue, bypassing overrides: those are the program's code, and may wait for a lock that the caller
// holds. The last three must point to nil, or a default, of Swift's types. False without hooks.
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
