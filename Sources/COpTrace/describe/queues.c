#include "queues.h"

#include <pthread.h>
#include <string.h>

#include "../hooks/fields.h"
#include "../hooks/layout.h"
#include "../hooks/state.h"
#include "COpTraceFields.h"
#include "ask.h"

#if OPTRACE_HAS_HOOKS

// ---- Main queues ---------------------------------------------------------------------------------------------------

static const char *(*label_of)(const void *queue);
static const char *main_label;
// The offset of libdispatch's queue in a `DispatchQueue`; 0: not known.
static uint32_t wrapped_offset;

// Compares labels, because `DispatchQueue.main` returns a different object each time.
bool is_main_queue(const void *dispatch_queue) {
  if (!dispatch_queue || !wrapped_offset) return false;
  const void *wrapped;
  memcpy(&wrapped, (const uint8_t *)dispatch_queue + wrapped_offset, sizeof wrapped);
  const char *label = wrapped ? label_of(wrapped) : NULL;
  return label && strcmp(label, main_label) == 0;
}

const char *queues_prove(void) {
  static const char why[] = "main queues are not recognised in this program";
  label_of = (const char *(*)(const void *))runtime_find("dispatch_queue_get_label");
  const void *main_queue = runtime_find("_dispatch_main_q"), *class = runtime_find("$s8Dispatch0A5QueueCN");
  SWIFT void *(*main_object)(SELF) = (SWIFT void *(*)(SELF))runtime_find("$s8Dispatch0A5QueueC4mainACvgZ");
  if (!label_of || !main_queue || !class || !is_class(class, NULL) || !main_object) return why;
  main_label = label_of(main_queue);
  void *object = main_label ? main_object((void *)(uintptr_t)class) : NULL;
  uint32_t offset = class_field_offset(class, "__wrapped");
  const void *wrapped = NULL;
  if (object && offset) memcpy(&wrapped, (const uint8_t *)object + offset, sizeof wrapped);
  if (wrapped == main_queue) wrapped_offset = offset;
  runtime_release(object);
  return wrapped_offset ? NULL : why;
}

// ---- Descriptions --------------------------------------------------------------------------------------------------

typedef struct {
  int64_t limit;
  bool is_suspended, is_main;
  swift_string name;  // Owned.
  uint8_t quality;
} description;

static description describe_queue(void *queue) {
  description seen = {0};
  uint8_t place = 0;
  void *underlying = NULL;
  // Call Foundation's own getters. Overrides are the program's code, and may wait for a lock that the caller holds.
  if (!optrace_queue_ask(queue, &(optrace_queue_answers){
        .limit = &seen.limit, .suspended = &seen.is_suspended, .name = &seen.name, .quality = &place, .underlying = &underlying}))
    return (description){0};
  seen.quality = quality_number(place);
  seen.is_main = is_main_queue(underlying);
  runtime_release(underlying);
  return seen;
}

static int32_t clamped(int64_t value) { return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value; }

static void record(optrace_recorder *core, uint32_t number, const description *seen) {
  static const char default_name[] = "NSOperationQueue 0x";
  optrace_queue_created_fields fields = {
    .limit = clamped(seen->limit), .qos = seen->quality, .main = seen->is_main, .suspended = seen->is_suspended};
  uint32_t stack = optrace_caller_stack(core);
  string_text name;
  string_read(seen->name, &name);
  // Foundation's default name of a queue is its address, which is of no use in a trace.
  bool is_given = name.length < sizeof default_name - 1 || memcmp(name.bytes, default_name, sizeof default_name - 1) != 0;
  optrace_emit_text_at(core, optrace_kind_queue_created, number, optrace_queue_created_high(fields), true,
                       optrace_queue_created_word2(fields), name.bytes, is_given ? string_prefix(&name) : 0, stack);
  string_done(&name);
}

// Held only while a queue gets its number in a recorder.
static pthread_mutex_t introducing = PTHREAD_MUTEX_INITIALIZER;

static uint32_t introduce_queue(optrace_recorder *core, void *queue, optrace_operation *probe) {
  description seen = describe_queue(queue);
  pthread_mutex_lock(&introducing);
  uint32_t number = optrace_operation_known(probe, core);
  if (!number) {
    number = optrace_recorder_next_queue(core);
    optrace_operation_move(probe, core, number);
    record(core, number, &seen);
    optrace_operation_publish(probe, core);
  }
  pthread_mutex_unlock(&introducing);
  string_release(seen.name);
  return number;
}

uint32_t queue_number(void *queue, optrace_recorder **recorder) {
  optrace_recorder *core = hooks_watching_core();
  if (!core || !optrace_recorder_is_recording(core)) return 0;
  optrace_operation *probe = optrace_object_know(queue, true);
  if (!probe) return 0;
  *recorder = core;
  uint32_t known = optrace_operation_known(probe, core);
  return known ? known : introduce_queue(core, queue, probe);
}
#endif
