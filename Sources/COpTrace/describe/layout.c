#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "../layouts/left_out.h"
#include "../objects/asked.h"
#include "../objects/classes.h"
#include "../objects/readers.h"
#include "COpTraceFormat.h"
#include "ask.h"
#include "closures.h"
#include "main_queue.h"
#include "observed.h"

#if OPTRACE_HAS_HOOKS

// ---- Classes -------------------------------------------------------------------------------------------------------

static void name_class(const void *class, void *context, optrace_take_class take) {
  type_name name = runtime_type_name(class, false), qualified = runtime_type_name(class, true);
  const char *dot = qualified.length ? memchr(qualified.bytes, '.', qualified.length) : NULL;
  // The module is the part before the first dot.
  bool has_module = dot && dot > qualified.bytes && dot + 1 < qualified.bytes + qualified.length;
  take(context, name.bytes, name.length, has_module ? qualified.bytes : NULL, has_module ? (size_t)(dot - qualified.bytes) : 0);
}

static uint32_t class_facts(optrace_recorder *core, const void *class) {
  (void)core;
  return class_facts_of(class) | (is_block_operation(class) ? optrace_class_code_is_chosen : 0u);
}

// ---- Operations and queues -----------------------------------------------------------------------------------------

static void ask(optrace_recorder *core, void *operation, uint32_t which, void *context, optrace_take_answers take) {
  (void)core;
  optrace_answers seen = {0};
  swift_string name = {0};
  if (which & optrace_ask_states) {
    seen.is_finished = ask_is_finished(operation);
    seen.is_executing = ask_is_executing(operation);
  }
  if (which & optrace_ask_cancelled) seen.is_cancelled = ask_is_cancelled(operation);
  if (which & optrace_ask_asynchronous) seen.is_asynchronous = ask_is_asynchronous(operation);
  if (which & optrace_ask_dependencies) {
    void *dependencies = ask_dependencies(operation);
    seen.has_dependencies = array_count(dependencies) > 0;
    runtime_release(dependencies);
  }
  if (which & optrace_ask_priority) seen.priority = ask_priority(operation);
  if (which & optrace_ask_quality) seen.quality = ask_quality(operation);
  if (!(which & optrace_ask_name)) return take(context, &seen);
  name = ask_name(operation);
  string_text text;
  string_read(name, &text);
  seen.has_name = !string_is_nil(name);
  seen.name = text.bytes;
  seen.name_length = text.length;
  take(context, &seen);
  string_done(&text);
  string_release(name);
}

static void dependencies_of(void *operation, void *context, void (*take)(void *context, void *dependency)) {
  void *dependencies = ask_dependencies(operation);
  for (size_t i = 0; i < array_count(dependencies); i++) take(context, array_object(dependencies, i));
  runtime_release(dependencies);
}

static void ask_queue(void *queue, void *context, optrace_take_queue take) {
  optrace_queue_answers seen = {0};
  swift_string name = {0};
  uint8_t place = 0;
  void *underlying = NULL;
  // Calls Foundation's own getters. Overrides are the program's code, and may wait for a lock that the caller holds.
  if (optrace_queue_ask(queue, &(optrace_queue_values){.limit = &seen.limit, .suspended = &seen.is_suspended, .name = &name,
                                                       .quality = &place, .underlying = &underlying})) {
    seen.quality = quality_number(place);
    seen.is_main = is_main_queue(underlying);
    runtime_release(underlying);
  }
  string_text text;
  string_read(name, &text);
  seen.name = text.bytes;
  seen.name_length = text.length;
  take(context, &seen);
  string_done(&text);
  string_release(name);
}

// ---- Values --------------------------------------------------------------------------------------------------------

static void take_string(swift_string string, void *context, optrace_take_value take) {
  if (!strings_known() || string_is_nil(string)) return take(context, 0, NULL, 0);
  string_text text;
  string_read(string, &text);
  take(context, 0, text.bytes, text.length);
  string_done(&text);
}

static void read_value(uint8_t kind, const void *value, void *context, optrace_take_value take) {
  switch (kind) {
    case optrace_kind_operation_named:
    case optrace_kind_queue_renamed: return take_string(*(const swift_string *)value, context, take);
    case optrace_kind_priority_changed: return take(context, priority_number(*(const uint8_t *)value), NULL, 0);
    case optrace_kind_quality_changed:
    case optrace_kind_queue_quality_changed: return take(context, quality_number(*(const uint8_t *)value), NULL, 0);
    default: return take(context, is_main_queue(*(const void *const *)value), NULL, 0);
  }
}

static void take_text(uint64_t first, uint64_t second, void *context, optrace_take_value take) {
  swift_string string = {first, second};
  take_string(string, context, take);
  string_release(string);
}

static void each_text(void *array, void *context, optrace_take_value take) {
  const swift_string *strings = array_elements(array);
  for (size_t i = 0; i < array_count(array); i++) take_string(strings[i], context, take);
}

// ---- References ----------------------------------------------------------------------------------------------------

// The runtime's weak reference is a word that must not move.
static void *weak_make(void *object) {
  void **reference = runtime_has_weak() ? malloc(sizeof *reference) : NULL;
  if (reference) runtime_weak_begin(reference, object);
  return reference;
}

static void *weak_take(void *reference) { return runtime_weak_take(reference); }

static void weak_free(void *reference) {
  runtime_weak_end(reference);
  free(reference);
}

// ---- Preparing -----------------------------------------------------------------------------------------------------

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

const char *layout_prepare(void) {
  static bool is_prepared;
  if (is_prepared) return NULL;
  const char *why = prepare_texts();
  if (why) return why;
  is_prepared = true;
  leave_out(cases_prove());
  leave_out(closures_prove());
  leave_out(main_queue_prove());
  return NULL;
}

void layout_begin(void) {
  // Hooks of test frameworks need only texts, and work in programs without Foundation, too.
  prepare_texts();
  optrace_describe_by(&(optrace_readers){
    .name_class = runtime_is_known() ? name_class : NULL, .class_facts = class_facts, .make_operation = observed_make,
    .function = block_function, .ask = ask, .dependencies = dependencies_of,
    .ask_queue = ask_queue, .read_value = read_value, .take_text = take_text, .each_text = each_text, .make_closure = closure_make,
    .retain = runtime_retain, .release = runtime_release, .weak_make = runtime_has_weak() ? weak_make : NULL,
    .weak_take = weak_take, .weak_free = weak_free,
  });
}

#else

void layout_begin(void) {}
const char *layout_prepare(void) { return "this system has no hooks"; }
#endif
