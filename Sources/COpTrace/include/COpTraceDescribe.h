// Describes operations and queues when a recorder first sees them, and records what is done with them: the same for all classes, on all
// systems, with and without a Swift part. What an object is, the readers tell.
#ifndef COPTRACE_DESCRIBE_H
#define COPTRACE_DESCRIBE_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- What objects are ----------------------------------------------------------------------------------------------

// Which getters of an operation are called. If its class overrides one, that is the program's code, which may take locks and use other
// operations, or this one. They are called in this order.
enum {
  optrace_ask_states = 1,  // `isFinished` and `isExecuting`.
  optrace_ask_cancelled = 2,
  optrace_ask_asynchronous = 4,
  optrace_ask_dependencies = 8,  // Whether there are any.
  optrace_ask_priority = 16,
  optrace_ask_quality = 32,
  optrace_ask_name = 64,
  optrace_ask_location = 128,  // No getter: what one of ours knows. Asked of each of them, and of no other operation.
};

// What they returned; 0 and false for the others.
typedef struct {
  bool is_finished, is_executing, is_cancelled, is_asynchronous, has_dependencies;
  bool has_name;
  int8_t priority;  // These two as the trace format numbers them.
  uint8_t quality;
  uint32_t location;  // The number of the text that says where it was created (`optrace_text_id`); 0: not known. Only of our own classes.
  uint64_t function;    // What one of ours runs, if it says that itself; 0: it does not.
  const uint8_t *name;  // UTF-8. Valid as long as the structure is passed.
  size_t name_length;
} optrace_answers;
typedef void (*optrace_take_answers)(void *context, const optrace_answers *answers);

typedef struct {
  int64_t limit;
  bool is_suspended, is_main;
  uint8_t quality;  // As the trace format numbers them.
  const uint8_t *name;
  size_t name_length;
} optrace_queue_answers;
typedef void (*optrace_take_queue)(void *context, const optrace_queue_answers *answers);

// What is the same for all operations of a class. The lower half belongs to the describer.
enum {
  optrace_class_readies_itself = 1 << 16,   // Has its own `isReady`: neither Foundation's nor ours.
  optrace_class_executes_itself = 1 << 17,  // Has its own `isExecuting`, which is called after `start()` begins and before the code runs.
  // None of ours, with its own `start()` and states. (Many asynchronous classes do not say that they are, because no queue asks.)
  optrace_class_runs_itself = 1 << 18,
  optrace_class_answers_itself = 1 << 19,   // None of ours, and overrides a getter that is called to describe its operations.
  optrace_class_code_is_chosen = 1 << 20,   // Each operation of the class may run a different function.
  optrace_class_is_ours = 1 << 21,
  // One of ours whose own `isReady` is hooked. What ours answers to its `super` is only a part of its answer.
  optrace_class_ready_is_hooked = 1 << 22,
  // One of ours with its own `start()` and `isFinished`, which may never call ours: the hooks record it …
  optrace_class_run_is_hooked = 1 << 23,
  optrace_class_run_is_unseen = 1 << 24,    // … or nobody does, because there are none.
};
// A class's name, and its module if it has one.
typedef void (*optrace_take_class)(void *context, const char *name, size_t length, const char *module, size_t module_length);

// A change of a property, as a hook of its setter gets it: a number, or a text.
typedef void (*optrace_take_value)(void *context, int64_t number, const uint8_t *text, size_t length);

// The memory of a closure that C makes.
enum { optrace_closure_words = 14 };
typedef struct {
  void (*run)(void *words);
  void (*end)(void *words);  // It is released.
} optrace_closure_kind;

// What the describer asks of objects. Filled by the Swift part, which is compiled for these classes; or by describe/layout.c, which
// reads them by Swift's ABI after proving it. Objects are passed without ownership, and are alive during the call.
typedef struct {
  // ---- Classes
  void (*name_class)(const void *class, void *context, optrace_take_class take);
  uint32_t (*class_facts)(optrace_recorder *core, const void *class);
  // Only where the first word of an object is not its class; else null.
  const void *(*class_of)(const void *object);
  // Class metadata of our own types, and of subclasses that override nothing; see objects/layout.c. Null: nothing was compiled against
  // Foundation.
  const void *traced_operation, *traced_block_operation, *traced_async_operation;
  const void *compiled_operation, *compiled_block_operation, *compiled_queue;
  // Whether objects of this class record themselves. Null: there are none of these.
  bool (*records_itself)(const void *class);

  // ---- Operations and queues
  // Returns a new operation, owned by the caller. When it is started, it reports what Foundation's getters return
  // (`optrace_own_observed`). Null: none can be made.
  void *(*make_operation)(void);
  // The entry that an operation of our own classes carries; null: it is of another class. Null itself: there are none of these.
  optrace_operation *(*own)(void *operation);
  // The entry that follows an operation of another class. Null itself: the hooks have it (`optrace_object_know`).
  optrace_operation *(*observe)(void *operation);
  // The function that an operation runs, if its class leaves that to each operation; 0: not known.
  uint64_t (*function)(void *operation);
  // Calls `take` once, after the getters of `which`.
  void (*ask)(optrace_recorder *core, void *operation, uint32_t which, void *context, optrace_take_answers take);
  void (*dependencies)(void *operation, void *context, void (*take)(void *context, void *dependency));
  void (*ask_queue)(void *queue, void *context, optrace_take_queue take);

  // ---- Values that hooks get
  // The new value of a property, of its Swift type. `kind`: of the record of the change. Calls `take` once.
  void (*read_value)(uint8_t kind, const void *value, void *context, optrace_take_value take);
  // A Swift string, by its two words, which are consumed; and each string of an array.
  void (*take_text)(uint64_t first, uint64_t second, void *context, optrace_take_value take);
  void (*each_text)(void *array, void *context, optrace_take_value take);
  // A closure without arguments, owned by the caller, with memory of its own, all 0. False: memory is out.
  bool (*make_closure)(const optrace_closure_kind *kind, uint64_t **words, void **function, void **closure);

  // ---- References
  void (*retain)(void *object);
  void (*release)(void *object);
  // Weak references. Null: there are none, or memory is out.
  void *(*weak_make)(void *object);
  void *(*weak_take)(void *reference);  // The object, retained; null: it is gone.
  void (*weak_free)(void *reference);

  // ---- Recorders. Null themselves: there is one, which watches everything.
  // Whether the recorder follows operations of other classes. Asked once for each recorder; it may install the hooks.
  bool (*uses_hooks)(optrace_recorder *core);
  // The recorder of our own operations that were given none; null: nobody records.
  optrace_recorder *(*fallback)(void);
  // Somebody wants to know what becomes of an operation that is in a queue now. Null for `operation`: it is a barrier block.
  void (*accompany)(void *operation, optrace_operation *entry, uint32_t serial, void *queue, optrace_operation *queue_entry);
} optrace_readers;

// Call one of these before anything is described: with readers in C, or with those of the Swift part.
void optrace_describe_by(const optrace_readers *readers);
void optrace_describe_compiled(void);

// ---- Operations ----------------------------------------------------------------------------------------------------

// The situation in which an operation is first seen.
typedef enum {
  optrace_sight_named,     // Another operation depends on it, or one of the program's own events belongs to it.
  optrace_sight_enqueued,  // It is added to a queue that is recorded.
  optrace_sight_started,   // It starts, or somebody waits for it.
  optrace_sight_running,   // It is already running, and its start was not seen.
} optrace_sight;

// Returns the operation's number in this trace; 0: there is none. Describes the operation if it is new: its class, its name and its
// dependencies, including operations that were never enqueued.
uint32_t optrace_introduce(optrace_recorder *core, void *operation, optrace_sight how);
// A dependency that the operation with this entry gets, or loses. Nothing is recorded if it is not known.
void optrace_dependency_changes(const optrace_operation *entry, void *other, bool is_added);
// Describes an operation of our own classes that is released without having belonged to a recorder, if one of its dependencies has not
// finished. On Linux, Foundation keeps a pointer to the operation in the dependency and follows it later. That may crash, although the
// operation was never in a queue. `name`: UTF-8, null for none. `dependencies`: such as Foundation has them. Their entries are known; none
// of the operation's getters is called, as parts of it may be gone.
void optrace_released_unmet(void *operation, optrace_operation *entry, const uint8_t *name, size_t length, void *const *dependencies,
                            size_t count);

// ---- Queues --------------------------------------------------------------------------------------------------------

// Returns the queue's number in this trace; 0: there is none. Describes the queue if it is new. If the recorder was replaced, the queue
// moves to the new one. `entry`: the one that it carries.
uint32_t optrace_queue_introduce(optrace_recorder *core, void *queue, optrace_operation *entry);

// Records that an operation is added to a queue, before the queue has it, and describes it if it is new. `own`, `answers`: of an operation
// of our own classes (`optrace_questions_of_own`); null: it may be of any class, and is asked. The result is 0 if it is not in the trace.
typedef struct {
  uint32_t serial;
  // Knows whether the operation depends on others; null: the operation has to be asked.
  const optrace_operation *entry;
} optrace_added;
optrace_added optrace_add(optrace_recorder *core, void *operation, optrace_operation *own, const optrace_answers *answers, void *queue,
                          optrace_operation *queue_entry);
// What has to be asked of an operation of our own classes that is added to a queue: it knows most of it itself.
static inline uint32_t optrace_questions_of_own(const optrace_operation *own) {
  return optrace_ask_asynchronous | optrace_ask_priority | optrace_ask_name | optrace_ask_location |
         (optrace_operation_has(own, optrace_bit_quality) ? optrace_ask_quality : 0u) |
         (optrace_operation_has(own, optrace_bit_used) ? optrace_ask_states | optrace_ask_cancelled : 0u);
}
// A queue's name or limit was changed: for those who follow it.
void optrace_queue_changes(const optrace_operation *queue_entry, uint8_t kind, int64_t number, const uint8_t *text, size_t length);

// ---- Blocks --------------------------------------------------------------------------------------------------------

// A barrier block is shown as an operation of its own, which ends when the block is released at the latest: a queue releases a cancelled
// barrier without running it. `function`: of the block. Returns its number; 0: it is not in the trace.
uint32_t optrace_barrier_add(optrace_recorder *core, optrace_operation *barrier, uint64_t function, void *queue,
                             optrace_operation *queue_entry);
// These two enclose the block.
void optrace_barrier_begins(optrace_operation *barrier);
void optrace_barrier_ends(optrace_operation *barrier);
void optrace_barrier_is_released(optrace_operation *barrier, bool has_run);

// The completion block of an operation that is over is given to a thread. False: the operation records nowhere.
typedef struct {
  optrace_recorder *recorder;
  uint32_t serial;
} optrace_completion;
bool optrace_completion_is_queued(const optrace_operation *operation, optrace_completion *completion);
// These two enclose the block.
void optrace_completion_begins(optrace_completion completion);
void optrace_completion_ends(optrace_completion completion);

#ifdef __cplusplus
}
#endif

#endif
