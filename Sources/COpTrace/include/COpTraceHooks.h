// Seeing operations that are not ours. Hooks in the method tables of Foundation's classes and their subclasses, and in
// the imports of loaded objects; on Linux, with Foundation as a shared library. `Documentation/recorder.md` tells how.
#ifndef COPTRACE_HOOKS_H
#define COPTRACE_HOOKS_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the recorder's Swift part does when a hook is reached. Objects are passed without ownership and live during the
// call.
typedef struct {
  // Class metadata of our own types.
  const void *traced_operation, *traced_block_operation, *traced_async_operation;
  // Of subclasses that override nothing: Foundation's classes as the compiler saw them; see hooks/layout.c.
  const void *compiled_operation, *compiled_block_operation, *compiled_queue;
  // A new operation, owned by who calls it. While it is started it tells what Foundation says of it (`optrace_own_observed`).
  void *(*make_operation)(void);
  // Whether objects of this class record themselves.
  bool (*records_itself)(const void *metadata);
  // What such an operation carries.
  optrace_operation *(*probe)(void *operation);
  // An operation that is not known starts, is waited for, ...; describes it. `is_running`: it goes on from a start that
  // nobody saw; one that is known is described anew then, as seen in part.
  void (*introduce)(void *operation, bool is_running);
  // An operation that is not known goes; `deinit` has not begun.
  void (*goes_unmet)(void *operation);
  void (*dependency)(void *operation, void *other, bool added);
  // `kind`: the record's, of what is set; `value` points to the new value, as Swift has it.
  void (*operation_changed)(void *operation, uint8_t kind, const void *value);
  // These three also begin what `adding` is for; see COpTrace.h.
  void (*enqueue)(void *queue, void *operation, optrace_adding *adding);
  void (*enqueue_all)(void *queue, void *array, optrace_adding *adding);
  // Gives back the two words of a closure that runs the one whose words are `function` and `context`, and owns it.
  bool (*barrier)(void *queue, void *function, void *context, void **new_function, void **new_context,
                  optrace_adding *adding);
  // The same for a completion block, of an operation that is over; gives back no function where nothing is recorded.
  void (*completion)(optrace_operation *operation, void *function, void *context, void **new_function, void **new_context);
  // Waits for each operation of an array.
  void (*wait_all)(void *array);
  void (*release)(void *context);
  // The queue's number in the recorder that it belongs to; 0: it has none.
  uint32_t (*queue_number)(void *queue, optrace_recorder **recorder);
  void (*queue_event)(void *queue, uint8_t kind);
  void (*queue_value)(void *queue, uint8_t kind, int64_t value);
  void (*queue_changed)(void *queue, uint8_t kind, const void *value);
  // Of Swift's own texts, as UTF-8, cut where it is longer than `room`: how many bytes were written. An array of them with a
  // slash between each two; one, by its two words, which is given up.
  size_t (*joined)(void *texts, char *to, size_t room);
  size_t (*text)(uint64_t first, uint64_t second, char *to, size_t room);
} optrace_hook_calls;

// Whether hooks can be put in place at all: null, or why not. Looks, and changes nothing; uses nothing of Foundation that could
// be laid out in another way. Not for two threads at a time, nor together with those below.
const char *optrace_hooks_misfit(void);
// Puts the hooks in place. Null, or why it cannot be done; nothing is changed then. Not for two threads at a time.
const char *optrace_hooks_install(void);
// Whether operations of this class have an `isReady` of their own, which is neither Foundation's nor ours. False too where
// that cannot be told. Puts nothing in place. Not for two threads at a time, nor together with `optrace_hooks_install`.
bool optrace_class_readies_itself(const void *metadata);
// The same of `isExecuting`.
bool optrace_class_executes_itself(const void *metadata);
// Whether operations of this class are ours, with a `start()` and an `isFinished` of their own. The same holds for it.
bool optrace_class_runs_alone(const void *metadata);
// Takes them out of all places that are left as they were put there.
void optrace_hooks_remove(void);
// Who records operations and queues that nobody has introduced: any pointer, kept alive by who sets it, and the recorder of the
// waits that belong to no operation. Null: nobody.
void optrace_hooks_watch(void *recorder, optrace_recorder *core);
void *optrace_hooks_watcher(void);

// Blocks of dispatch queues are recorded from here on. `define` gives the function at an address a number, as that of
// `optrace_recorder_use_stacks` does, with its context. The hooks stay in their places; of a recorder that has stopped they say nothing.
void optrace_record_dispatch(optrace_recorder *recorder, uint32_t (*define)(void *context, uint64_t function));
// Tasks are recorded from here on; as above. Null, also where no program of this process can have tasks; or why they cannot be
// recorded, and then nothing is changed.
const char *optrace_record_tasks(optrace_recorder *recorder, uint32_t (*define)(void *context, uint64_t function));

// Tests of XCTest and Swift Testing, where the process has them, are recorded as spans from here on, and what they submit is told to
// be within them.
void optrace_record_tests(optrace_recorder *recorder);

// What is known of an object that is not ours: as long as the object lives. Null: not known.
optrace_operation *optrace_object_find(const void *object);
// At first sight it becomes known. Null: it cannot be watched. `is_queue`: an OperationQueue, else an Operation.
optrace_operation *optrace_object_know(void *object, bool is_queue);

// Where a stored property that a class itself declares lies in its objects; 0: it has none of this name, or that is not
// known on this system.
uint32_t optrace_class_field(const void *metadata, const char *name);

// Whether an operation's class has a `start()` and states of its own: it may go on when that has returned.
bool optrace_object_runs_itself(const void *object);
// Whether its class has an answer of its own to what an operation is asked for its description. True too where that cannot be told.
bool optrace_object_answers_itself(const void *object);
// Whether nothing has been done with an operation: it has no name, no quality of service and no dependency, and is neither cancelled, in a
// queue nor started. What Foundation's own getters say, without their locks. False too where that cannot be told.
bool optrace_object_is_untouched(const void *object);
// What Foundation's getters say of an operation whose `start()` this thread is inside of, without asking them: each takes a lock. That
// thread is the one that turns Foundation's own state, and what they say in which state was heard from one operation, when Foundation was
// looked at. Unknown: this thread does not run it, or that was not heard.
enum { optrace_own_executing, optrace_own_finished, optrace_own_questions };
enum { optrace_own_unknown, optrace_own_no, optrace_own_yes };
uint8_t optrace_own_answer(const optrace_operation *operation, const void *object, uint32_t question);
void optrace_own_observed(const void *object, uint32_t question, bool answer);
// Whether an operation is neither in a queue nor was started. False too where that cannot be told.
bool optrace_object_is_unused(const void *object);
// Whether a queue is starting it: its `start()` goes on to its code, or ends it where it was cancelled, and does not stop the process as of one
// that is started by hand and must not be. False too where that cannot be told.
bool optrace_object_is_starting(const void *object);

// The name and the dependencies that Foundation itself knows of an operation, past overrides; the arguments point to nil and to
// an empty array, of Swift's own types. False without hooks.
bool optrace_operation_ask(void *operation, void *name, void *dependencies);

// What Foundation itself knows of a queue, past overrides: those are the program's code, and may wait for a lock that the
// caller holds. The last three point to nil, or a default, of Swift's own types. False without hooks.
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
