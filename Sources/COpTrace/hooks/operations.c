// Hooks of operations whose classes are not ours. Each hook looks up the object and its class once, records, and calls the original. For
// an unknown object it only calls the original.
#include "operations.h"

#include "../objects/classes.h"
#include "../objects/foundation.h"
#include "../objects/objects.h"
#include "../objects/own.h"
#include "../objects/readers.h"
#include "../objects/state.h"
#include "../operations/frames.h"
#include "../operations/operation.h"
#include "../pauses/pauses.h"
#include "modify.h"
#include "report.h"

#if OPTRACE_HAS_HOOKS

enum { import_init, import_block_init, import_block_make, import_queue_init, import_did_change_key, import_did_change_path };

// The object whose change is being announced on this thread, and the object that Foundation's `start()` is running on this thread.
static _Thread_local const void *announced, *started;
// The object that is being introduced on this thread. Its getters are called for that, and what they do must not introduce it again.
static _Thread_local const void *introduced;

// Foundation's implementation.
static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return operation_methods[index].real; }
static ORDERED_BY_EXCHANGE void *imported(uint32_t index) { return foundation_imports[index].real; }

static bool is_recording(const optrace_operation *operation) {
  const optrace_recorder *recorder = operation_recorder(operation);
  return recorder && optrace_recorder_is_recording(recorder);
}

// The entry of the object, if it is the innermost operation on this thread; that saves a lookup. Entries of our own classes have no
// object, so they never match.
static optrace_operation *running_here(const void *object) {
  optrace_operation *operation = frame_operation();
  return operation && atomic_load_explicit(&operation->object, memory_order_relaxed) == object ? operation : NULL;
}

// The entry of the object, if its events are recorded.
static optrace_operation *known(const void *object) {
  if (!hooks_active()) return NULL;
  optrace_operation *operation = running_here(object);
  if (!operation) operation = optrace_object_find(object);
  return operation && is_recording(operation) ? operation : NULL;
}

static void introduce(void *object, bool is_running) {
  const void *outer = introduced;
  introduced = object;
  report_met(object, is_running);
  introduced = outer;
}

// The class of Foundation's internal operation for a barrier block. Its table has no hooks. But if Foundation is linked into the program,
// calls through that table reach hooks at function entries. Only the block is shown, so this operation is ignored.
static const void *barrier_class;

void operations_prepare(void) { barrier_class = foundation_find("$s10Foundation17_BarrierOperationCN"); }

// Like `known`, but introduces the object if it is new. `is_running`: its start was not seen.
static optrace_operation *met(void *object, bool is_running) {
  optrace_operation *operation = known(object);
  if (operation && !optrace_operation_has(operation, optrace_bit_external)) return operation;
  if (!hooks_active() || (!operation && !hooks_watch_everything()) || object_is_ending(object)) return NULL;
  if (*(const void *const *)object == barrier_class) return NULL;
  const class_entry *class = class_know(*(const void **)object, class_operation);
  if (!class || class->records_itself || introduced == object) return NULL;
  introduce(object, is_running);
  return known(object);
}

// Like `known` and `met`, for hooks that record the run of an operation. These include operations of our classes with their own `start()`
// and states, which record everything themselves except their run.
static optrace_operation *known_to_run(const void *object, const class_entry *class) {
  if (!class->runs_alone) return known(object);
  if (!hooks_active()) return NULL;
  optrace_operation *operation = own_entry((void *)object);
  return operation && is_recording(operation) ? operation : NULL;
}

static optrace_operation *met_running(void *object, const class_entry *class, bool is_running) {
  if (!class->runs_alone) return met(object, is_running);
  if (!hooks_active()) return NULL;
  optrace_operation *operation = own_entry(object);
  if (operation && !optrace_operation_owner(operation) && introduced != object) introduce(object, is_running);
  return known_to_run(object, class);
}

// Whether Foundation's own `start()` runs it, which calls none of the program's code except `main`. An overriding `start()` may do anything
// before it calls Foundation's, such as wait, or call it on another thread.
static bool is_run_by_foundation(const class_entry *class) {
  return !class->starts_itself && !class->finishes_itself && !class->executes_itself;
}

// Calls the original getter. On the thread that is inside Foundation's `start()`, Foundation's own getter need not be called.
static bool answer(const void *object, const class_entry *class, uint32_t method, uint32_t question) {
  void *original = class->originals[method];
  uint8_t own = original == real(method) && started == object ? own_says(object, question) : optrace_own_unknown;
  return own == optrace_own_unknown ? ((getter)original)((void *)object) : own == optrace_own_yes;
}

// A thread that learns from `optrace_bit_over` that an operation is finished takes none of Foundation's locks. From these the thread
// sanitizer of the program would know that the accesses are ordered. A recorder that is compiled without the sanitizer tells it here.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static bool is_over(const void *object) {
  optrace_operation *operation = hooks_active() ? optrace_object_find(object) : NULL;
  if (!optrace_operation_has(operation, optrace_bit_over)) return false;
  if (__tsan_acquire) __tsan_acquire(operation);
  return true;
}

// True if this call has recorded the finish.
static bool record_finish(optrace_operation *operation, const class_entry *class) {
  if (!operation_claim(operation, optrace_bit_finish_recorded)) return false;
  bool has_begun = optrace_operation_has(operation, optrace_bit_began);
  uint32_t phase = has_begun ? optrace_phase_executing : optrace_phase_starting;
  // Combine the records only if the frame knows the whole state of the run.
  const frame *f = frame_of(operation);
  if (!f || f->phase != phase || !optrace_run_finish(operation)) {
    if (has_begun) optrace_operation_event(operation, optrace_kind_execution_ended);
    optrace_operation_event(operation, optrace_kind_finished);
  }
  if (__tsan_release) __tsan_release(operation);
  operation_claim(operation, optrace_bit_finish_written | (class->finishes_itself ? 0 : optrace_bit_over));
  return true;
}

// Replaces the operation's completion block, which Foundation reads next, with one that records.
static void record_completion_block(void *object, optrace_operation *operation) {
  uint32_t offset = own_completion_offset();
  if (!offset || !*(void *const *)(const void *)((const char *)object + offset)) return;
  closure block = ((SWIFT closure (*)(SELF))real(method_get_completion))(object), recording = {0};
  if (block.function) recording = report_completion(operation, block);
  if (recording.function)
    ((method_words)real(method_set_completion))((uintptr_t)recording.function, (uintptr_t)recording.context, object);
  if (block.context) readers.release(block.context);
}

static void record_beginning(optrace_operation *operation) {
  if (operation_claim(operation, optrace_bit_began)) optrace_operation_event(operation, optrace_kind_execution_began);
}

// ---- Running -------------------------------------------------------------------------------------------------------

static void call_start(void *object, method original) {
  const void *outer = started;
  if ((void *)original == real(method_start)) started = object;
  original(object);
  started = outer;
}

// A method that runs an operation's code, called through its companion if it has one.
typedef struct {
  void *object;
  method original;
} code_call;

static void call_code(void *argument) {
  const code_call *call = argument;
  call->original(call->object);
}

static void call_start_of(void *argument) {
  const code_call *call = argument;
  call_start(call->object, call->original);
}

static void run_start(void *object, const class_entry *class, method original, bool by_name) {
  optrace_operation *operation = met_running(object, class, false);
  if (!operation) return original(object);
  // This is a call of `super` from an override, whose own call was already seen.
  if (frame_operation() == operation) return call_start(object, original);
  // Look up the class again: it has been introduced, so now the class itself has an entry, and not only a superclass.
  if (class->metadata != *(const void *const *)object) class = class_find(object);
  // A call on another thread, such as from a class whose own `start()` returns at once, is not a second start.
  bool is_start = operation_claim(operation, optrace_bit_watched) || !by_name ||
                  optrace_operation_has(operation, optrace_bit_finish_recorded);
  if (is_start) optrace_run_start(operation, is_run_by_foundation(class) && optrace_object_is_starting(object));
  else optrace_frame_push(operation);
  if (is_start) pauses_before_work(optrace_operation_serial(operation), pauses_begins);
  // A class with its own `start()` and states may not announce that it is executing, so its code counts as begun here.
  if (is_start && class->runs_itself && !((getter)class->originals[method_is_cancelled])(object)) record_beginning(operation);
  if (operation_has_companion(operation)) optrace_operation_run(operation, call_start_of, &(code_call){object, original});
  else call_start(object, original);
  // A queue now calls `isFinished`, and accepts "finished" even if it was not announced. Without a queue nobody calls it.
  if (is_recording(operation) && !optrace_operation_has(operation, optrace_bit_finish_recorded) &&
      ((getter)class->originals[method_is_finished])(object)) {
    if (optrace_operation_has(operation, optrace_bit_enqueued) || !class->finishes_itself)
      record_finish(operation, class);
    else if (operation_claim(operation, optrace_bit_finish_seen))
      optrace_operation_event(operation, optrace_kind_finish_seen);
  }
  if (is_start) optrace_run_return(operation);
  else optrace_frame_pop();
}

static SWIFT void hook_start(SELF) {
  const class_entry *class = class_find(self);
  run_start(self, class, (method)class->originals[method_start], false);
}

// Records the beginning of its code if this thread is inside of its `start()`; false if not.
static bool begin_in_start(const void *object, const class_entry *class) {
  frame *f = frame_innermost();
  optrace_operation *operation = frame_operation();
  if (!operation || f->phase != optrace_phase_starting || !is_recording(operation)) return false;
  // Our own operations have no object.
  if (atomic_load_explicit(&operation->object, memory_order_relaxed) != object && known_to_run(object, class) != operation) return false;
  if (operation_claim(operation, optrace_bit_began)) optrace_run_begin(operation);
  else f->phase = optrace_phase_executing;
  return true;
}

static SWIFT void hook_main(SELF) {
  const class_entry *class = class_find(self);
  method original = (method)class->originals[method_main];
  if (begin_in_start(self, class) || running_here(self)) return original(self);
  // The code runs on another thread than `start()`, as in some classes with their own `start()`.
  optrace_operation *operation = known_to_run(self, class);
  if (!operation || frame_operation() == operation) return original(self);
  optrace_operation_run(operation, call_code, &(code_call){self, original});
}

// For an operation that announces that it is executing or finished. If it is unknown, or was only described so far (for example because a
// thread waits for it), its start was not seen. In a queue it may finish before its start.
static optrace_operation *announcing(void *object, const class_entry *class, bool is_finish) {
  optrace_operation *operation = known_to_run(object, class);
  if (!operation) return met_running(object, class, true);
  bool may_start = is_finish && optrace_operation_has(operation, optrace_bit_enqueued);
  if (!may_start && !optrace_operation_has(operation, optrace_bit_watched) &&
      !optrace_operation_has(operation, optrace_bit_partial) && introduced != object)
    introduce(object, true);
  return operation;
}

// Foundation asks right before `main()`, and when a change is announced.
static SWIFT bool hook_is_executing(SELF) {
  const class_entry *class = class_find(self);
  bool value = answer(self, class, method_is_executing, optrace_own_executing);
  if (!value) return value;
  if (!begin_in_start(self, class) && announced == self) {
    optrace_operation *operation = announcing(self, class, false);
    if (operation) record_beginning(operation);
  }
  return value;
}

static __attribute__((noinline)) bool ask_whether_finished(void *object) {
  const class_entry *class = class_find(object);
  bool value = answer(object, class, method_is_finished, optrace_own_finished);
  if (!value) return value;
  optrace_operation *operation = announced == object ? announcing(object, class, true) : known_to_run(object, class);
  if (!operation || optrace_operation_has(operation, optrace_bit_finish_recorded)) return value;
  // Foundation calls this at the end of `start()`. If the start was not seen, any call counts.
  bool is_recorded = !class->finishes_itself &&
                 (running_here(object) || !optrace_operation_has(operation, optrace_bit_watched));
  if (announced == object || started == object || is_recorded) {
    if (record_finish(operation, class)) record_completion_block(object, operation);
  } else if (class->finishes_itself && operation_claim(operation, optrace_bit_finish_seen)) {
    optrace_operation_event(operation, optrace_kind_finish_seen);
  }
  return value;
}

// Foundation calls this on the thread that finishes the operation, before it notifies anybody.
static SWIFT bool hook_is_finished(SELF) { return is_over(self) || ask_whether_finished(self); }

// Foundation's call comes after what takes time. While a queue adds an operation, it asks and then stores the answer, without a lock. If
// the operation becomes ready in between, the queue never starts it, with or without hooks. So nothing may make that time longer.
static SWIFT bool hook_is_ready(SELF) {
  const class_entry *class = class_find(self);
  getter original = (getter)class->originals[method_is_ready];
  optrace_operation *operation = class->records_itself ? own_entry(self) : known(self);
  bool value = original(self);
  if (!operation || optrace_operation_has(operation, optrace_bit_ready) == value) return value;
  // Another thread may have recorded that it is ready since this one asked. Then the old answer must not undo that.
  if (!value && !class->readies_itself && original(self)) return value;
  if (optrace_operation_turn(operation, optrace_bit_ready, value)) optrace_operation_event(operation, optrace_kind_ready);
  return value;
}

static SWIFT void hook_destroy(SELF) {
  if (hooks_watch_everything() && !optrace_operation_owner(optrace_object_find(self)) && !object_is_ending(self))
    report_unmet(self);
  object_end(self, optrace_kind_released, (method)class_original(self, method_destroy));
}

// ---- Changes by the program ----------------------------------------------------------------------------------------

static SWIFT void hook_start_by_name(SELF) { run_start(self, class_find(self), (method)real(method_start), true); }

static SWIFT void hook_cancel(SELF) {
  optrace_operation *operation = known(self);
  if (operation) optrace_operation_event(operation, optrace_kind_cancel_requested);
  ((method)real(method_cancel))(self);
}

// When an operation is added to a queue, its dependencies are read once. Later changes are recorded here.
static void note_dependency(const void *object) {
  optrace_operation *operation = hooks_active() ? optrace_object_find(object) : NULL;
  if (operation) operation_claim(operation, optrace_bit_has_dependencies);
}

// Before Foundation's call, because Foundation hangs when an operation is made to depend on itself.
static SWIFT void hook_add_dependency(void *other, SELF) {
  optrace_operation *operation = other == self ? met(self, false) : known(self);
  if (operation) optrace_dependency_changes(operation, other, true);
  note_dependency(self);
  ((method_object)real(method_add_dependency))(other, self);
  // By the time it is introduced, it may have other dependencies.
  note_dependency(self);
  // It was introduced meanwhile, perhaps without this dependency. Readers accept a dependency that is recorded twice.
  if (!operation) optrace_dependency_changes(known(self), other, true);
}

static SWIFT void hook_remove_dependency(void *other, SELF) {
  optrace_dependency_changes(known(self), other, false);
  ((method_object)real(method_remove_dependency))(other, self);
}

static SWIFT void hook_wait(SELF) {
  method original = (method)real(method_wait);
  // Part of a wait for many operations; this one is already over.
  if (optrace_frame_is_waiting() && is_over(self)) return;
  optrace_operation *operation = met(self, false);
  if (!operation || (optrace_frame_is_waiting() && optrace_operation_has(operation, optrace_bit_finish_recorded)))
    return original(self);
  optrace_recorder *recorder = optrace_operation_recorder(operation);
  uint32_t serial = optrace_operation_serial(operation);
  optrace_wait_begin(recorder, serial, false);
  optrace_frame_waits(true);
  original(self);
  optrace_frame_waits(false);
  // Foundation's state changes a few instructions before it calls `isFinished` on the finishing thread. So a waiter may see it first. Every
  // waiter records that, because the first one to see it need not be the first one to write.
  if (!optrace_operation_has(operation, optrace_bit_finish_written))
    optrace_operation_event(operation, optrace_kind_finish_seen);
  optrace_wait_end(recorder, serial, false);
}

static void record_change(void *object, uint8_t kind, const void *value) {
  const optrace_operation *operation = known(object);
  if (operation) report_operation_change(operation, kind, value);
}

static void record_name(void *object, const void *value) { record_change(object, optrace_kind_operation_named, value); }
static void record_priority(void *object, const void *value) { record_change(object, optrace_kind_priority_changed, value); }
static void record_quality(void *object, const void *value) { record_change(object, optrace_kind_quality_changed, value); }

static SWIFT void hook_name(uint64_t first, uint64_t second, SELF) {
  record_name(self, (const uint64_t[]){first, second});
  ((method_words)real(method_name))(first, second, self);
}

static SWIFT void hook_priority(uint8_t value, SELF) {
  record_priority(self, &value);
  ((method_byte)real(method_priority))(value, self);
}

static SWIFT void hook_quality(uint8_t value, SELF) {
  record_quality(self, &value);
  ((method_byte)real(method_quality))(value, self);
}

static SWIFT yielded modify_name(void *frame, SELF) {
  return modify((modifier)real(method_modify_name), frame, self, record_name);
}

static SWIFT yielded modify_priority(void *frame, SELF) {
  return modify((modifier)real(method_modify_priority), frame, self, record_priority);
}

static SWIFT yielded modify_quality(void *frame, SELF) {
  return modify((modifier)real(method_modify_quality), frame, self, record_quality);
}

static void note_class(const void *object, class_kind kind) {
  if (hooks_watch_everything()) class_know(*(const void *const *)object, kind);
}

// Notes who created the operation, if that is wanted. `here`: a frame in the hook that the program called.
static void *made(void *object, optrace_start here) {
  if (optrace_wants_makers() && object && hooks_watch_everything())
    optrace_operation_made(optrace_object_know(object, false), here);
  return object;
}

// Hooks of initialisers. A subclass's initialiser calls its superclass's, which is the first call that a hook sees.
static SWIFT void *hook_init(SELF) {
  note_class(self, class_operation);
  return made(((SWIFT void *(*)(SELF))imported(import_init))(self), optrace_here());
}

static SWIFT void *hook_block_init(SELF) {
  note_class(self, class_operation);
  return made(((SWIFT void *(*)(SELF))imported(import_block_init))(self), optrace_here());
}

// `self` is the class.
static SWIFT void *hook_block_make(void *block, void *context, SELF) {
  return made(((SWIFT void *(*)(void *, void *, SELF))imported(import_block_make))(block, context, self), optrace_here());
}

static SWIFT void *hook_queue_init(SELF) {
  note_class(self, class_queue);
  return ((SWIFT void *(*)(SELF))imported(import_queue_init))(self);
}

static SWIFT void hook_did_change_key(uint64_t first, uint64_t second, SELF) {
  note_class(self, class_operation);
  const void *outer = announced;
  announced = self;
  ((method_words)imported(import_did_change_key))(first, second, self);
  announced = outer;
}

static SWIFT void hook_did_change_path(void *path, const void *value, SELF) {
  note_class(self, class_operation);
  const void *outer = announced;
  announced = self;
  ((SWIFT void (*)(void *, const void *, SELF))imported(import_did_change_path))(path, value, self);
  announced = outer;
}

#define METHOD(name) "$s10Foundation9OperationC" name
// Replaces whatever implementation a class has. Our own types override it.
#define OVERRIDDEN(function) .hook = function, .overridden = true
// Replaces Foundation's implementation, wherever it is called from.
#define IMPLEMENTED(function) .hook = function, .direct = function

hooked_method operation_methods[] = {
  [method_destroy] = {METHOD("fD"), .hook = hook_destroy, .overridden = true},
  [method_is_finished] = {METHOD("10isFinishedSbvg"), OVERRIDDEN(hook_is_finished)},
  [method_is_ready] = {METHOD("7isReadySbvg"), OVERRIDDEN(hook_is_ready)},
  [method_is_executing] = {METHOD("11isExecutingSbvg"), OVERRIDDEN(hook_is_executing)},
  [method_start] = {METHOD("5startyyF"), OVERRIDDEN(hook_start), .direct = hook_start_by_name},
  [method_main] = {METHOD("4mainyyF"), .hook = hook_main, .overridden = true},
  [method_is_cancelled] = {METHOD("11isCancelledSbvg"), .describes = true},
  [method_cancel] = {METHOD("6cancelyyF"), IMPLEMENTED(hook_cancel)},
  [method_add_dependency] = {METHOD("13addDependencyyyACF"), IMPLEMENTED(hook_add_dependency)},
  [method_remove_dependency] = {METHOD("16removeDependencyyyACF"), IMPLEMENTED(hook_remove_dependency)},
  [method_wait] = {METHOD("17waitUntilFinishedyyF"), IMPLEMENTED(hook_wait)},
  [method_name] = {METHOD("4nameSSSgvs"), IMPLEMENTED(hook_name)},
  [method_priority] = {METHOD("13queuePriorityAC05QueueD0Ovs"), IMPLEMENTED(hook_priority)},
  [method_quality] = {METHOD("16qualityOfServiceAA07QualitydE0Ovs"), IMPLEMENTED(hook_quality)},
  [method_modify_name] = {METHOD("4nameSSSgvM"), IMPLEMENTED(modify_name)},
  [method_modify_priority] = {METHOD("13queuePriorityAC05QueueD0OvM"), IMPLEMENTED(modify_priority)},
  [method_modify_quality] = {METHOD("16qualityOfServiceAA07QualitydE0OvM"), IMPLEMENTED(modify_quality)},
  [method_get_name] = {METHOD("4nameSSSgvg"), .describes = true},
  [method_get_dependencies] = {METHOD("12dependenciesSayACGvg"), .describes = true},
  [method_get_completion] = {METHOD("15completionBlockyyYbcSgvg")},
  [method_set_completion] = {METHOD("15completionBlockyyYbcSgvs")},
  [method_get_quality] = {METHOD("16qualityOfServiceAA07QualitydE0Ovg"), .describes = true},
  [method_get_asynchronous] = {METHOD("14isAsynchronousSbvg"), .describes = true},
  [method_get_priority] = {METHOD("13queuePriorityAC05QueueD0Ovg")},
  {0},
};

hooked_import foundation_imports[] = {
  [import_init] = {METHOD("ACycfc"), hook_init},
  [import_block_init] = {"$s10Foundation14BlockOperationCACycfc", hook_block_init},
  [import_block_make] = {"$s10Foundation14BlockOperationC5blockACyyYbc_tcfC", hook_block_make},
  [import_queue_init] = {"$s10Foundation14OperationQueueCACycfc", hook_queue_init},
  [import_did_change_key] = {METHOD("14didChangeValue6forKeyySS_tF"), hook_did_change_key},
  [import_did_change_path] = {METHOD("14didChangeValue3forys7KeyPathCyACxG_tlF"), hook_did_change_path},
  {0},
};
#endif
