// Describes an operation that is freed without ever having belonged to a recorder, while one of its dependencies has not finished. On
// Linux, Foundation keeps a pointer to the operation in the dependency and follows it later. That may crash, although the operation was
// never in a queue.
#include "released.h"

#include "../hooks/state.h"
#include "COpTraceFields.h"
#include "introduce.h"

#if OPTRACE_HAS_HOOKS

// True if an operation is known not to have finished: a recorder knows it, or it is neither in a queue nor started.
static bool is_open(const void *operation) {
  const optrace_operation *known = optrace_object_find(operation);
  if (optrace_operation_owner(known)) return !optrace_operation_has(known, optrace_bit_finish_recorded);
  return optrace_object_is_unused(operation);
}

// Returns the recorder of the first dependency that has one, or else the recorder that watches everything. Null: it is not recording.
static optrace_recorder *recorder_of(const void *dependencies) {
  optrace_recorder *core = NULL;
  for (size_t i = 0; !core && i < array_count(dependencies); i++)
    core = optrace_operation_owner(optrace_object_find(array_object(dependencies, i)));
  if (!core) core = hooks_watching_core();
  return core && optrace_recorder_is_recording(core) ? core : NULL;
}

// The operation's own getters are not called: they may keep a reference to it, and it is about to be freed.
static void describe_released(optrace_recorder *core, void *operation, swift_string name, const void *dependencies) {
  class_facts facts = facts_of(core, operation);
  optrace_operation *probe = optrace_object_know(operation, false);
  if (!probe) return;
  uint32_t serial = optrace_recorder_next_serial(core);
  if (!serial || !optrace_operation_attach(probe, serial)) return;
  describe_class(core, serial, facts, name, coverage_full, false, probe);
  for (size_t i = 0; i < array_count(dependencies); i++) {
    optrace_dependency_added_fields on = {.on = introduce_named(core, array_object(dependencies, i))};
    optrace_emit2(core, optrace_kind_dependency_added, serial, optrace_dependency_added_word1(on));
  }
  optrace_operation_publish(probe, core);
}

void goes_unmet(void *operation) {
  swift_string name = {0};
  void *dependencies = NULL;
  // Read Foundation's own values, bypassing overrides.
  if (!optrace_operation_ask(operation, &name, &dependencies)) return;
  bool any_open = false;
  for (size_t i = 0; !any_open && i < array_count(dependencies); i++) any_open = is_open(array_object(dependencies, i));
  optrace_recorder *core = any_open ? recorder_of(dependencies) : NULL;
  if (core) describe_released(core, operation, strings_known() ? name : (swift_string){0}, dependencies);
  if (strings_known()) string_release(name);
  runtime_release(dependencies);
}
#endif
