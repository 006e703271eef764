// Hooks of queues whose classes are not ours, when everything is watched. Overrides in subclasses come here when they call `super`.
#include "queues.h"

#include "../objects/arrays.h"
#include "../objects/classes.h"
#include "../objects/objects.h"
#include "../objects/readers.h"
#include "../objects/state.h"
#include "blocks.h"
#include "modify.h"
#include "report.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>

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
  method_object original = (method_object)real(queue_method_add);
  if (!watches(self)) return original(operation, self);
  optrace_adding adding;
  AS_ENTRY(adding = report_add(self, operation));
  original(operation, self);
  optrace_adding_end(&adding);
}

// The waits are for the operations, so that each is recorded as such.
static void wait_for_each(void *operations) {
  uint32_t offset = class_methods(class_operation)[method_wait].offset;
  optrace_frame_waits(true);
  for (size_t i = 0; i < array_count(operations); i++) {
    void *operation = array_object(operations, i);
    method wait = (method)atomic_load_explicit((void *_Atomic *)(*(uintptr_t *)operation + offset), memory_order_relaxed);
    wait(operation);
  }
  optrace_frame_waits(false);
}

static SWIFT void hook_add_all(void *operations, bool wait, SELF) {
  method_array original = (method_array)real(queue_method_add_all);
  if (!watches(self)) return original(operations, wait, self);
  optrace_adding adding;
  AS_ENTRY(adding = report_add_all(self, operations));
  original(operations, false, self);
  optrace_adding_end(&adding);
  // Adding has ended: from here on Foundation's call only waits.
  if (wait) wait_for_each(operations);
}

static SWIFT void hook_barrier(void *function, void *context, SELF) {
  SWIFT void (*original)(void *, void *, SELF) = real(queue_method_barrier);
  optrace_adding adding = {0};
  if (!watches(self)) return original(function, context, self);
  closure recording;
  AS_ENTRY(recording = report_barrier(self, (closure){function, context}, &adding));
  if (!recording.function) return original(function, context, self);
  block_code_runs_barriers(recording.function);
  original(recording.function, recording.context, self);
  optrace_adding_end(&adding);
  readers.release(recording.context);
}

// Record the change before it is made, because the queue may then start operations at once.
static void record_limit(void *queue, const void *value) {
  if (watches(queue)) report_limit(queue, *(const int64_t *)value);
}

static void record_suspended(void *queue, const void *value) {
  if (!watches(queue)) return;
  report_queue_event(queue, *(const bool *)value ? optrace_kind_queue_suspended : optrace_kind_queue_resumed);
}

static void record_change(void *queue, uint8_t kind, const void *value) {
  if (is_known(queue)) report_queue_change(queue, kind, value);
}

static void record_name(void *queue, const void *value) { record_change(queue, optrace_kind_queue_renamed, value); }
static void record_quality(void *queue, const void *value) { record_change(queue, optrace_kind_queue_quality_changed, value); }
static void record_underlying(void *queue, const void *value) { record_change(queue, optrace_kind_queue_main_changed, value); }

static SWIFT void hook_limit(uint64_t value, SELF) {
  AS_ENTRY(record_limit(self, &value));
  ((method_word)real(queue_method_limit))(value, self);
}

static SWIFT void hook_suspended(bool value, SELF) {
  AS_ENTRY(record_suspended(self, &value));
  ((method_bool)real(queue_method_suspended))(value, self);
}

static SWIFT void hook_name(uint64_t first, uint64_t second, SELF) {
  const uint64_t words[] = {first, second};
  AS_ENTRY(record_name(self, words));
  ((method_words)real(queue_method_name))(first, second, self);
}

static SWIFT void hook_quality(uint8_t value, SELF) {
  AS_ENTRY(record_quality(self, &value));
  ((method_byte)real(queue_method_quality))(value, self);
}

static SWIFT void hook_underlying(void *queue, SELF) {
  AS_ENTRY(record_underlying(self, &queue));
  ((method_object)real(queue_method_underlying))(queue, self);
}

static SWIFT yielded modify_limit(void *frame, SELF) {
  return modify((modifier)real(queue_method_modify_limit), frame, self, record_limit);
}

static SWIFT yielded modify_suspended(void *frame, SELF) {
  return modify((modifier)real(queue_method_modify_suspended), frame, self, record_suspended);
}

static SWIFT yielded modify_name(void *frame, SELF) {
  return modify((modifier)real(queue_method_modify_name), frame, self, record_name);
}

static SWIFT yielded modify_quality(void *frame, SELF) {
  return modify((modifier)real(queue_method_modify_quality), frame, self, record_quality);
}

static SWIFT yielded modify_underlying(void *frame, SELF) {
  return modify((modifier)real(queue_method_modify_underlying), frame, self, record_underlying);
}

static SWIFT void hook_cancel_all(SELF) {
  if (watches(self)) report_queue_event(self, optrace_kind_queue_cancelled_all);
  ((method)real(queue_method_cancel_all))(self);
}

static SWIFT void hook_wait_all(SELF) {
  method original = (method)real(queue_method_wait_all);
  optrace_recorder *recorder = NULL;
  uint32_t number = 0;
  if (watches(self)) AS_ENTRY(number = report_queue(self, &recorder));
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
  [queue_method_add] = {METHOD("03addB0yyAA0B0CF"), HOOK(hook_add)},
  [queue_method_add_all] = {METHOD("13addOperations_17waitUntilFinishedySayAA0B0CG_SbtF"), HOOK(hook_add_all)},
  [queue_method_barrier] = {METHOD("15addBarrierBlockyyyyYbcF"), HOOK(hook_barrier)},
  [queue_method_limit] = {METHOD("013maxConcurrentB5CountSivs"), HOOK(hook_limit)},
  [queue_method_suspended] = {METHOD("11isSuspendedSbvs"), HOOK(hook_suspended)},
  [queue_method_name] = {METHOD("4nameSSSgvs"), HOOK(hook_name)},
  [queue_method_quality] = {METHOD("16qualityOfServiceAA07QualityeF0Ovs"), HOOK(hook_quality)},
  [queue_method_underlying] = {METHOD("010underlyingC08Dispatch0eC0CSgvs"), HOOK(hook_underlying)},
  [queue_method_cancel_all] = {METHOD("19cancelAllOperationsyyF"), HOOK(hook_cancel_all)},
  [queue_method_wait_all] = {METHOD("33waitUntilAllOperationsAreFinishedyyF"), HOOK(hook_wait_all)},
  [queue_method_modify_limit] = {METHOD("013maxConcurrentB5CountSivM"), HOOK(modify_limit)},
  [queue_method_modify_suspended] = {METHOD("11isSuspendedSbvM"), HOOK(modify_suspended)},
  [queue_method_modify_name] = {METHOD("4nameSSSgvM"), HOOK(modify_name)},
  [queue_method_modify_quality] = {METHOD("16qualityOfServiceAA07QualityeF0OvM"), HOOK(modify_quality)},
  [queue_method_modify_underlying] = {METHOD("010underlyingC08Dispatch0eC0CSgvM"), HOOK(modify_underlying)},
  [queue_method_get_limit] = {METHOD("013maxConcurrentB5CountSivg")},
  [queue_method_get_suspended] = {METHOD("11isSuspendedSbvg")},
  [queue_method_get_name] = {METHOD("4nameSSSgvg")},
  [queue_method_get_quality] = {METHOD("16qualityOfServiceAA07QualityeF0Ovg")},
  [queue_method_get_underlying] = {METHOD("010underlyingC08Dispatch0eC0CSgvg")},
  {0},
};
#endif
