#include "describe.h"

#include <string.h>

#include "../hooks/operations.h"
#include "../hooks/state.h"
#include "COpTraceFields.h"
#include "adding.h"
#include "ask.h"
#include "closures.h"
#include "introduce.h"
#include "observed.h"
#include "queues.h"
#include "released.h"
#include "texts.h"

#if OPTRACE_HAS_HOOKS

// Returns the recorder that watches everything; null if it is not recording.
static optrace_recorder *watching(void) {
  optrace_recorder *core = hooks_watching_core();
  return core && optrace_recorder_is_recording(core) ? core : NULL;
}

// Returns the recorder that an operation belongs to; null if it is not recording.
static optrace_recorder *recorder_of(const optrace_operation *operation) {
  optrace_recorder *core = optrace_operation_owner(operation);
  return core && optrace_recorder_is_recording(core) ? core : NULL;
}

// ---- Operations ----------------------------------------------------------------------------------------------------

// Always false: a program that is not linked with OpTrace has no classes that record themselves.
static bool records_itself(const void *metadata) {
  (void)metadata;
  return false;
}

static optrace_operation *probe(void *operation) {
  (void)operation;
  return NULL;
}

static void introduce_met(void *operation, bool is_running) {
  optrace_recorder *core = recorder_of(optrace_object_find(operation));
  if (!core) core = watching();
  if (core) introduce(core, operation, optrace_object_know(operation, false), is_running ? sight_running : sight_started, NULL);
}

static void dependency(void *operation, void *other, bool added) {
  const optrace_operation *known = optrace_object_find(operation);
  optrace_recorder *core = recorder_of(known);
  if (!core) return;
  uint32_t on = introduce_named(core, other);
  if (added) optrace_operation_event2(known, optrace_kind_dependency_added,
                                      optrace_dependency_added_word1((optrace_dependency_added_fields){.on = on}));
  else optrace_operation_event2(known, optrace_kind_dependency_removed,
                                optrace_dependency_removed_word1((optrace_dependency_removed_fields){.on = on}));
}

static void rename_operation(const optrace_operation *known, swift_string name) {
  optrace_recorder *core = optrace_operation_recorder(known);
  uint32_t serial = optrace_operation_serial(known);
  if (!core || !strings_known() || string_is_nil(name)) return;
  string_text text;
  string_read(name, &text);
  optrace_emit_text(core, optrace_kind_operation_named, serial, 0, false, 0, text.bytes, string_prefix(&text));
  string_done(&text);
}

static void operation_changed(void *operation, uint8_t kind, const void *value) {
  const optrace_operation *known = optrace_object_find(operation);
  if (!known) return;
  if (kind == optrace_kind_operation_named) {
    rename_operation(known, *(const swift_string *)value);
  } else if (kind == optrace_kind_priority_changed) {
    optrace_priority_changed_fields fields = {.value = priority_number(*(const uint8_t *)value)};
    optrace_operation_event2(known, kind, optrace_priority_changed_word1(fields));
  } else if (kind == optrace_kind_quality_changed) {
    optrace_quality_changed_fields fields = {.value = quality_number(*(const uint8_t *)value)};
    optrace_operation_event2(known, kind, optrace_quality_changed_word1(fields));
  }
}

static void complete(optrace_operation *operation, void *function, void *context, void **new_function, void **new_context) {
  closure recording = completion_closure(operation, (closure){(closure_function)function, context});
  *new_function = (void *)recording.function;
  *new_context = recording.context;
}

// ---- Queues --------------------------------------------------------------------------------------------------------

static uint32_t add_to(optrace_recorder *core, void *operation, uint32_t number) {
  uint32_t serial = add_operation(core, operation, number);
  if (serial) optrace_record_within(core, serial);
  return serial;
}

// Begins `adding`, which the hooks end after Foundation's own call. That call can hang in a lock that the same thread holds, and then the
// trace shows it.
static void begin_adding(optrace_adding *adding, optrace_recorder *core, void *queue, uint32_t serial, bool is_barrier) {
  if (serial) *adding = optrace_adding_begin(core, queue, serial, is_barrier);
}

static void enqueue(void *queue, void *operation, optrace_adding *adding) {
  optrace_recorder *core;
  uint32_t number = queue_number(queue, &core);
  if (number) begin_adding(adding, core, queue, add_to(core, operation, number), false);
}

static void enqueue_all(void *queue, void *operations, optrace_adding *adding) {
  optrace_recorder *core;
  uint32_t first = 0;
  if (!array_count(operations)) return;
  uint32_t number = queue_number(queue, &core);
  if (!number) return;
  for (size_t i = 0; i < array_count(operations); i++) {
    uint32_t serial = add_to(core, array_object(operations, i), number);
    if (!first) first = serial;
  }
  begin_adding(adding, core, queue, first, false);
}

static void describe_barrier(optrace_recorder *core, optrace_operation *operation, uint32_t number, const void *function) {
  uint32_t class = shown_class(core, "Barrier", (uint64_t)(uintptr_t)function), serial = optrace_recorder_next_serial(core);
  if (!serial || !optrace_operation_attach(operation, serial)) return;
  optrace_operation_created_fields created = {.class_ = class, .coverage = coverage_full};
  optrace_emit2(core, optrace_kind_operation_created, serial, optrace_operation_created_word1(created));
  optrace_enqueued_fields enqueued = {.queue = number, .barrier = true};
  optrace_emit2_at(core, optrace_kind_enqueued, serial, optrace_enqueued_word1(enqueued), optrace_caller_stack(core));
  optrace_record_within(core, serial);
  optrace_operation_publish(operation, core);
}

static bool barrier(void *queue, void *function, void *context, void **new_function, void **new_context, optrace_adding *adding) {
  optrace_recorder *core;
  optrace_operation *operation;
  uint32_t number = queue_number(queue, &core);
  if (!number) return false;
  closure recording = barrier_closure((closure){(closure_function)function, context}, &operation);
  if (!recording.function) return false;
  describe_barrier(core, operation, number, function);
  begin_adding(adding, core, queue, optrace_operation_serial(operation), true);
  *new_function = (void *)recording.function;
  *new_context = recording.context;
  return true;
}

static void wait_all(void *operations) {
  optrace_frame_waits(true);
  for (size_t i = 0; i < array_count(operations); i++) ask_wait(array_object(operations, i));
  optrace_frame_waits(false);
}

static void queue_event(void *queue, uint8_t kind) {
  optrace_recorder *core;
  uint32_t number = queue_number(queue, &core);
  if (number) optrace_emit1(core, kind, number);
}

static void queue_value(void *queue, uint8_t kind, int64_t value) {
  optrace_recorder *core;
  uint32_t number = queue_number(queue, &core);
  if (number) optrace_emit2(core, kind, number, (uint64_t)value);
}

static void rename_queue(optrace_recorder *core, uint32_t number, swift_string name) {
  string_text text;
  string_read(name, &text);
  optrace_emit_text(core, optrace_kind_queue_renamed, number, 0, false, 0, text.bytes, string_prefix(&text));
  string_done(&text);
}

static void queue_changed(void *queue, uint8_t kind, const void *value) {
  optrace_recorder *core;
  uint32_t number = queue_number(queue, &core);
  if (!number) return;
  if (kind == optrace_kind_queue_renamed) {
    rename_queue(core, number, *(const swift_string *)value);
  } else if (kind == optrace_kind_queue_quality_changed) {
    optrace_queue_quality_changed_fields fields = {.value = quality_number(*(const uint8_t *)value)};
    optrace_emit2(core, kind, number, optrace_queue_quality_changed_word1(fields));
  } else if (kind == optrace_kind_queue_main_changed) {
    optrace_queue_main_changed_fields fields = {.value = is_main_queue(*(const void *const *)value)};
    optrace_emit2(core, kind, number, optrace_queue_main_changed_word1(fields));
  }
}

// ---- Texts ---------------------------------------------------------------------------------------------------------

static size_t copy(swift_string string, char *to, size_t room) {
  string_text text;
  string_read(string, &text);
  size_t length = text_prefix((const char *)text.bytes, text.length, room);
  if (length) memcpy(to, text.bytes, length);
  string_done(&text);
  return length;
}

static size_t joined(void *texts, char *to, size_t room) {
  const swift_string *strings = array_elements(texts);
  size_t length = 0;
  for (size_t i = 0; i < array_count(texts); i++) {
    if (i && length < room) to[length++] = '/';
    length += copy(strings[i], to + length, room - length);
  }
  return length;
}

static size_t take_text(uint64_t first, uint64_t second, char *to, size_t room) {
  swift_string string = {first, second};
  size_t length = to ? copy(string, to, room) : 0;
  string_release(string);
  return length;
}

// ---- Preparing -----------------------------------------------------------------------------------------------------

enum { most_left_out = 4 };
static const char *left_out[most_left_out];

const char *describe_left_out(uint32_t index) { return index < most_left_out ? left_out[index] : NULL; }

static void leave_out(const char *why) {
  for (uint32_t i = 0; why && i < most_left_out; i++)
    if (!left_out[i]) {
      left_out[i] = why;
      return;
    }
}

// Prepares reading types and texts of the program. Null, or why that is not possible.
static const char *prepare_texts(void) {
  static bool is_prepared;
  if (is_prepared) return NULL;
  const char *why = runtime_prepare();
  if (why) return why;
  is_prepared = true;
  leave_out(strings_prove());
  return NULL;
}

const char *describe_prepare(void) {
  static bool is_prepared;
  if (is_prepared) return NULL;
  const char *why = prepare_texts();
  // Foundation passes dependencies and added operations in arrays.
  if (!why) why = arrays_prove();
  if (why) return why;
  is_prepared = true;
  leave_out(cases_prove());
  leave_out(closures_prove());
  leave_out(queues_prove());
  return NULL;
}

void describe_fill_hook_calls(optrace_hook_calls *calls) {
  // Hooks of test frameworks need only texts, and work in programs without Foundation, too.
  prepare_texts();
  *calls = (optrace_hook_calls){
    .make_operation = observed_make, .records_itself = records_itself, .probe = probe, .introduce = introduce_met,
    .goes_unmet = goes_unmet, .dependency = dependency, .operation_changed = operation_changed, .enqueue = enqueue,
    .enqueue_all = enqueue_all, .barrier = barrier, .completion = complete, .wait_all = wait_all, .release = runtime_release,
    .queue_number = queue_number, .queue_event = queue_event, .queue_value = queue_value, .queue_changed = queue_changed,
    .joined = joined, .text = take_text, .class_of = runtime_is_known() ? class_number : NULL,
  };
}

#else

const char *describe_prepare(void) { return "this system has no hooks"; }
void describe_fill_hook_calls(optrace_hook_calls *calls) { (void)calls; }
const char *describe_left_out(uint32_t index) {
  (void)index;
  return NULL;
}
#endif
