// Reads Foundation's own fields of an operation. Its getters return the same, but most of them take a lock.
#include "own.h"

#include "../operations/frames.h"
#include "fields.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>
#include <string.h>

static uint32_t state_offset, completion_offset;
// How the state is stored of an operation that is new, and of one that a queue is about to start.
static uint8_t new_state, starting_state;
static bool is_starting_known;

uint32_t own_completion_offset(void) { return completion_offset; }

static uint8_t byte_at(const void *object, uint32_t offset) {
  return atomic_load_explicit((const _Atomic uint8_t *)object + offset, memory_order_relaxed);
}

static uintptr_t word_at(const void *object, uint32_t offset) {
  return atomic_load_explicit((const _Atomic uintptr_t *)(const void *)((const uint8_t *)object + offset), memory_order_relaxed);
}

static bool is_new(const void *object) { return byte_at(object, state_offset) == new_state; }

// The state is one byte, a case of an enumeration.
bool optrace_object_is_unused(const void *object) { return state_offset && is_new(object); }

bool optrace_object_is_starting(const void *object) {
  return is_starting_known && byte_at(object, state_offset) == starting_state;
}

// The fields that an operation's description needs, and their values in a new operation: the shared empty array, and no text.
static struct {
  bool is_known;
  uint32_t cancelled, quality, dependencies, name;
  uint8_t no_quality;
  uintptr_t no_dependencies, no_name[2];
} fresh;

bool optrace_object_is_untouched(const void *object) {
  enum { word = sizeof(uintptr_t) };
  return fresh.is_known && is_new(object) && byte_at(object, fresh.cancelled) == 0 &&
         byte_at(object, fresh.quality) == fresh.no_quality && word_at(object, fresh.dependencies) == fresh.no_dependencies &&
         word_at(object, fresh.name) == fresh.no_name[0] && word_at(object, fresh.name + word) == fresh.no_name[1];
}

// ---- Observed answers of Foundation's getters

// What Foundation's getters returned in each state; see `optrace_own_answer`.
enum { states = 8 };
static uint8_t answers[optrace_own_questions][states];

uint8_t own_says(const void *object, uint32_t question) {
  uint8_t state = byte_at(object, state_offset);
  return state < states ? answers[question][state] : optrace_own_unknown;
}

uint8_t optrace_own_answer(const optrace_operation *operation, const void *object, uint32_t question) {
  return operation && frame_of(operation) ? own_says(object, question) : optrace_own_unknown;
}

// If a getter has returned both true and false in one state, the state does not determine the answer, so it is not used. Nothing is added
// after the observation.
static bool contradicts, is_settled;

void optrace_own_observed(const void *object, uint32_t question, bool answer) {
  uint8_t state = byte_at(object, state_offset), observed = answer ? optrace_own_yes : optrace_own_no;
  if (is_settled || !state_offset || state >= states) return;
  if (answers[question][state] != optrace_own_unknown && answers[question][state] != observed) contradicts = true;
  answers[question][state] = observed;
}

static bool has(uint8_t executing, uint8_t finished) {
  for (uint32_t state = 0; state < states; state++)
    if (state != new_state && answers[optrace_own_executing][state] == executing && answers[optrace_own_finished][state] == finished) return true;
  return false;
}

// An operation that ran was executing in one state and finished in another; a new one was neither.
static bool is_plausible(void) {
  bool executed = has(optrace_own_yes, optrace_own_unknown) || has(optrace_own_yes, optrace_own_no);
  bool finished = has(optrace_own_no, optrace_own_yes) || has(optrace_own_unknown, optrace_own_yes);
  return !contradicts && executed && finished && answers[optrace_own_executing][new_state] != optrace_own_yes &&
         answers[optrace_own_finished][new_state] != optrace_own_yes;
}

// ---- Preparation

void own_fields_find(const void *operation_class, method start, const optrace_readers *readers) {
  state_offset = class_field_offset(operation_class, "__state");
  if (!class_field_case(operation_class, "__state", "initialized", &new_state) || new_state >= states) state_offset = 0;
  is_starting_known = state_offset && class_field_case(operation_class, "__state", "starting", &starting_state);
  completion_offset = class_field_offset(operation_class, "__completion");
  fresh.cancelled = class_field_offset(operation_class, "__isCancelled");
  fresh.quality = class_field_offset(operation_class, "__propertyQoS");
  fresh.dependencies = class_field_offset(operation_class, "__dependencies");
  fresh.name = class_field_offset(operation_class, "__name");
  // Without a test operation nothing is known about fields and answers, so the getters of each operation are called.
  void *new = readers->make_operation();
  if (!new) return;
  if (state_offset && !is_new(new)) state_offset = 0, is_starting_known = false;
  fresh.no_quality = byte_at(new, fresh.quality);
  fresh.no_dependencies = word_at(new, fresh.dependencies);
  for (uint32_t i = 0; i < 2; i++) fresh.no_name[i] = word_at(new, fresh.name + i * (uint32_t)sizeof(uintptr_t));
  bool is_found = state_offset && fresh.cancelled && fresh.quality && fresh.dependencies && fresh.name;
  fresh.is_known = is_found && byte_at(new, fresh.cancelled) == 0;
  // Call it directly: in the method table there may be a hook of another copy of the recorder.
  start(new);
  is_settled = true;
  if (!is_plausible()) memset(answers, optrace_own_unknown, sizeof(answers));
  readers->release(new);
}
#endif
