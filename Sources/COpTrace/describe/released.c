#include "released.h"

#include "../objects/state.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "introduce.h"
#include "../objects/readers.h"

static const optrace_operation *known_entry(void *operation) {
  const optrace_operation *own = own_entry(operation);
  return own ? own : optrace_object_find(operation);
}

// True if an operation is known not to have finished: a recorder knows it, or it is neither in a queue nor started.
static bool is_open(void *operation) {
  const optrace_operation *known = known_entry(operation);
  if (optrace_operation_owner(known)) return !optrace_operation_has(known, optrace_bit_finish_recorded);
  return optrace_object_is_unused(operation);
}

static optrace_recorder *recording(optrace_recorder *core) {
  return core && optrace_recorder_is_recording(core) ? core : NULL;
}

// Returns the recorder of the first dependency that has one, or else the recorder that watches everything, or the default one. Null: it is
// not recording.
static optrace_recorder *recorder_of(void *const *dependencies, size_t count) {
  optrace_recorder *core = NULL;
  for (size_t i = 0; !core && i < count; i++) core = optrace_operation_owner(known_entry(dependencies[i]));
  core = recording(core);
  if (!core) core = recording(hooks_watching_core());
  if (!core && readers.fallback) core = recording(readers.fallback());
  return core;
}

// An operation that is about to be freed.
typedef struct {
  optrace_recorder *core;
  class_facts facts;
  optrace_operation *entry;
  const uint8_t *name;
  size_t name_length;
  void *const *dependencies;
  size_t count;
} unmet;

// `known`: what one of ours knows itself. The operation's getters are not called: they may keep a reference to it.
static void describe_unmet(void *context, const optrace_answers *known) {
  const unmet *u = context;
  uint32_t serial = optrace_recorder_next_serial(u->core);
  if (!serial || !optrace_operation_attach(u->entry, serial)) return;
  optrace_answers seen = {
    .has_name = u->name, .name = u->name, .name_length = u->name_length, .location = known->location};
  describe_class(u->core, serial, u->facts, &seen, coverage_full, known->is_asynchronous, u->entry);
  for (size_t i = 0; i < u->count; i++) {
    optrace_dependency_added_fields on = {.on = optrace_introduce(u->core, u->dependencies[i], optrace_sight_named)};
    optrace_emit2(u->core, optrace_kind_dependency_added, serial, optrace_dependency_added_word1(on));
  }
  optrace_operation_publish(u->entry, u->core);
}

void released_unmet(void *operation, optrace_operation *entry, const uint8_t *name, size_t length, void *const *dependencies,
                    size_t count) {
  optrace_recorder *core = recorder_of(dependencies, count);
  if (!core) return;
  // Also examines Foundation if nobody has: `is_open` relies on that.
  unmet u = {.core = core, .facts = facts_of(core, operation), .name = name, .name_length = length, .dependencies = dependencies,
             .count = count};
  bool any_open = false;
  for (size_t i = 0; !any_open && i < count; i++) any_open = is_open(dependencies[i]);
  if (!any_open) return;
  u.entry = entry ? entry : entry_of_other(core, operation);
  if (entry) readers.ask(core, operation, optrace_ask_location, &u, describe_unmet);
  else if (u.entry) describe_unmet(&u, &(optrace_answers){0});
}

void optrace_released_unmet(void *operation, optrace_operation *entry, const uint8_t *name, size_t length, void *const *dependencies,
                            size_t count) {
  if (entry) released_unmet(operation, entry, name, length, dependencies, count);
}
