// Hooks of queues whose classes are not ours, when everything is watched. Overrides in subclasses come here when they call `super`.
#include "queues.h"

#include "blocks.h"
#include "classes.h"
#include "modify.h"
#include "objects.h"
#include "state.h"

#if OPTRACE_HAS_HOOKS

enum { index_add = 1, index_add_all, index_barrier, index_limit, index_suspended, index_name, index_quality,
       index_underlying, index_cancel_all, index_wait_all, index_modify_limit, index_modify_suspended, index_modify_name,
       index_modify_quality, index_modify_underlying, index_get_limit, index_get_suspended, index_get_name,
       index_get_quality, index_get_underlying };

static bool watches(const void *queue) {
  if (!hooks_watch_everything()) return false;
  const class_entry *class = class_know(*(const void *const *)queue, class_queue);
  return class && !class->records_itself;
}

// Whether the queue has an entry. For changes that are of no interest while a queue has not been used.
static bool is_known(const void *queue) { return hooks_active() && optrace_object_find(queue); }

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return queue_methods[index].real; }

static SWIFT void hook_destroy(SELF) {
  object_end(self, optrace_kind_queue_released, (method)class_original(self, method_destroy));
}

// The caller of the hook adds the operation, or has created the queue, if it is seen for the first time.
#define AS_ENTRY(call)                                                  \
  do {                                                                  \
    bool is_entry = optrace_entry_begin(optrace_here(), optrace_caller()); \
    call;                                                               \
    optrace_entry_end(is_entry);                                        \
  } while (0)

static SWIFT void hook_add(void *operation, SELF) {
  method_object original = (method_object)real(index_add);
  if (!watches(self)) return original(operation, self);
  optrace_adding adding = {0};
  AS_ENTRY(hook_calls.enqueue(self, operation, &adding));
  original(operation, self);
  optrace_adding_end(&adding);
}

static SWIFT void hook_add_all(void *operations, bool wait, SELF) {
  method_array original = (method_array)real(index_add_all);
  if (!watches(self)) return original(operations, wait, self);
  optrace_adding adding = {0};
  AS_ENTRY(hook_calls.enqueue_all(self, operations, &adding));
  original(operations, false, self);
  optrace_adding_end(&adding);
  // Adding has ended: from here on Foundation's call only waits.
  if (wait) hook_calls.wait_all(operations);
}

static SWIFT void hook_barrier(void *function, void *context, SELF) {
  SWIFT void (*original)(void *, void *, SELF) = real(index_barrier);
  void *new_function, *new_context;
  optrace_adding adding = {0};
  if (!watches(self)) return original(function, context, self);
  bool is_recorded;
  AS_ENTRY(is_recorded = hook_calls.barrier(self, function, context, &new_function, &new_context, &adding));
  if (!is_recorded) return original(function, context, self);
  block_code_runs_barriers(new_function);
  original(new_function, new_context, self);
  optrace_adding_end(&adding);
  hook_calls.release(new_context);
}

// Record the change before it is made, because the queue may then start operations at once.
static void record_limit(void *queue, const void *value) {
  if (watches(queue)) hook_calls.queue_value(queue, optrace_kind_limit_changed, *(const int64_t *)value);
}

static void record_suspended(void *queue, const void *value) {
  if (!watches(queue)) return;
  hook_calls.queue_event(queue, *(const bool *)value ? optrace_kind_queue_suspended : optrace_kind_queue_resumed);
}

static void record_change(void *queue, uint8_t kind, const void *value) {
  if (is_known(queue)) hook_calls.queue_changed(queue, kind, value);
}

static void record_name(void *queue, const void *value) { record_change(queue, optrace_kind_queue_renamed, value); }
static void record_quality(void *queue, const void *value) { record_change(queue, optrace_kind_queue_quality_changed, value); }
static void record_underlying(void *queue, const void *value) { record_change(queue, optrace_kind_queue_main_changed, value); }

bool optrace_queue_ask(void *queue, const optrace_queue_answers *to) {
  typedef struct {
    uint64_t first, second;
  } words;
  if (!hooks_active()) return false;
  *to->limit = ((SWIFT int64_t (*)(SELF))real(index_get_limit))(queue);
  *to->suspended = ((getter)real(index_get_suspended))(queue);
  *(words *)to->name = ((SWIFT words (*)(SELF))real(index_get_name))(queue);
  *(uint8_t *)to->quality = ((SWIFT uint8_t (*)(SELF))real(index_get_quality))(queue);
  *(void **)to->underlying = ((SWIFT void *(*)(SELF))real(index_get_underlying))(queue);
  return true;
}

static SWIFT void hook_limit(uint64_t value, SELF) {
  AS_ENTRY(record_limit(self, &value));
  ((method_word)real(index_limit))(value, self);
}

static SWIFT void hook_suspended(bool value, SELF) {
  AS_ENTRY(record_suspended(self, &value));
  ((method_bool)real(index_suspended))(value, self);
}

static SWIFT void hook_name(uint64_t first, uint64_t second, SELF) {
  const uint64_t words[] = {first, second};
  AS_ENTRY(record_name(self, words));
  ((method_words)real(index_name))(first, second, self);
}

static SWIFT void hook_quality(uint8_t value, SELF) {
  AS_ENTRY(record_quality(self, &value));
  ((method_byte)real(index_quality))(value, self);
}

static SWIFT void hook_underlying(void *queue, SELF) {
  AS_ENTRY(record_underlying(self, &queue));
  ((method_object)real(index_underlying))(queue, self);
}

static SWIFT yielded modify_limit(void *frame, SELF) {
  return modify((modifier)real(index_modify_limit), frame, self, record_limit);
}

static SWIFT yielded modify_suspended(void *frame, SELF) {
  return modify((modifier)real(index_modify_suspended), frame, self, record_suspended);
}

static SWIFT yielded modify_name(void *frame, SELF) {
  return modify((modifier)real(index_modify_name), frame, self, record_name);
}

static SWIFT yielded modify_quality(void *frame, SELF) {
  return modify((modifier)real(index_modify_quality), frame, self, record_quality);
}

static SWIFT yielded modify_underlying(void *frame, SELF) {
  return modify((modifier)real(index_modify_underlying), frame, self, record_underlying);
}

static SWIFT void hook_cancel_all(SELF) {
  if (watches(self)) hook_calls.queue_event(self, optrace_kind_queue_cancelled_all);
  ((method)real(index_cancel_all))(self);
}

static SWIFT void hook_wait_all(SELF) {
  method original = (method)real(index_wait_all);
  optrace_recorder *recorder = NULL;
  uint32_t number = 0;
  if (watches(self)) AS_ENTRY(number = hook_calls.queue_number(self, &recorder));
  if (!number) return original(self);
  optrace_wait_begin(recorder, number, true);
  optrace_frame_waits(true);
  original(self);
  optrace_frame_waits(false);
  optrace_wait_end(recorder, number, true);
}

#define METHOD(name) "$s10Foundation14OperationQueueC" name
#define HOOK(function) .hook = function, .direct = function

hooked_method queue_methods[] = {
  [method_destroy] = {METHOD("fD"), .hook = hook_destroy, .overridden = true},
  [index_add] = {METHOD("03addB0yyAA0B0CF"), HOOK(hook_add)},
  [index_add_all] = {METHOD("13addOperations_17waitUntilFinishedySayAA0B0CG_SbtF"), HOOK(hook_add_all)},
  [index_barrier] = {METHOD("15addBarrierBlockyyyyYbcF"), HOOK(hook_barrier)},
  [index_limit] = {METHOD("013maxConcurrentB5CountSivs"), HOOK(hook_limit)},
  [index_suspended] = {METHOD("11isSuspendedSbvs"), HOOK(hook_suspended)},
  [index_name] = {METHOD("4nameSSSgvs"), HOOK(hook_name)},
  [index_quality] = {METHOD("16qualityOfServiceAA07QualityeF0Ovs"), HOOK(hook_quality)},
  [index_underlying] = {METHOD("010underlyingC08Dispatch0eC0CSgvs"), HOOK(hook_underlying)},
  [index_cancel_all] = {METHOD("19cancelAllOperationsyyF"), HOOK(hook_cancel_all)},
  [index_wait_all] = {METHOD("33waitUntilAllOperationsAreFinishedyyF"), HOOK(hook_wait_all)},
  [index_modify_limit] = {METHOD("013maxConcurrentB5CountSivM"), HOOK(modify_limit)},
  [index_modify_suspended] = {METHOD("11isSuspendedSbvM"), HOOK(modify_suspended)},
  [index_modify_name] = {METHOD("4nameSSSgvM"), HOOK(modify_name)},
  [index_modify_quality] = {METHOD("16qualityOfServiceAA07QualityeF0OvM"), HOOK(modify_quality)},
  [index_modify_underlying] = {METHOD("010underlyingC08Dispatch0eC0CSgvM"), HOOK(modify_underlying)},
  [index_get_limit] = {METHOD("013maxConcurrentB5CountSivg")},
  [index_get_suspended] = {METHOD("11isSuspendedSbvg")},
  [index_get_name] = {METHOD("4nameSSSgvg")},
  [index_get_quality] = {METHOD("16qualityOfServiceAA07QualityeF0Ovg")},
  [index_get_underlying] = {METHOD("010underlyingC08Dispatch0eC0CSgvg")},
  {0},
};
#endif
