#include "adding.h"

#include "COpTraceFields.h"
#include "ask.h"
#include "introduce.h"

#if OPTRACE_HAS_HOOKS

static addition addition_of(optrace_recorder *core, void *operation, uint32_t queue, bool asks_quality) {
  optrace_enqueued_fields fields = {
    .queue = queue, .priority = ask_priority(operation), .qos = asks_quality ? ask_quality(operation) : 0};
  return (addition){.word = optrace_enqueued_word1(fields), .stack = optrace_caller_stack(core), .is_open = true};
}

// True if one record can describe an operation without calling its getters: nothing has been done with it, its class overrides none
// of the getters, and its creation site is not recorded.
static bool is_untouched(const void *operation, class_facts facts) {
  return !(facts & (facts_answers_itself | facts_readies_itself)) && !optrace_wants_makers() &&
         optrace_object_is_untouched(operation);
}

// Records that an operation is enqueued. Returns its number; 0: it has none, and nothing is recorded.
static uint32_t record(optrace_recorder *core, const addition *adding, uint32_t serial) {
  if (serial) optrace_emit2_at(core, optrace_kind_enqueued, serial, adding->word, adding->stack);
  return serial;
}

static uint32_t marks_of(class_facts facts) { return facts & facts_executes_itself ? optrace_bit_own_executing : 0; }

// Describes and adds an operation with one record. This is the fast path, for nearly every operation. False: another thread was faster.
static bool add_untouched(optrace_recorder *core, class_facts facts, optrace_operation *probe, const addition *adding,
                          uint32_t *serial) {
  *serial = optrace_recorder_next_serial(core);
  if (!*serial) return true;
  if (!optrace_operation_attach(probe, *serial)) return false;
  // The hooks check these bits.
  optrace_operation_claim(probe, optrace_bit_enqueued | optrace_bit_ready | marks_of(facts));
  uint64_t created = created_word(facts, coverage_full, facts & facts_runs_itself);
  optrace_emit_added(core, optrace_kind_added, *serial, created, adding->word, probe, adding->stack);
  optrace_operation_publish(probe, core);
  return true;
}

// Describes an attached operation and records that it is enqueued. Returns its number. This may take more than one record.
static uint32_t add_described(optrace_recorder *core, void *operation, class_facts facts, optrace_operation *probe,
                              const appearance *seen, addition *adding, uint32_t serial) {
  // The hooks check these bits.
  uint32_t bits = optrace_bit_enqueued | marks_of(facts);
  if (seen->has_dependencies) bits |= optrace_bit_has_dependencies;
  optrace_operation_claim(probe, bits);
  // The operation has not been used, and has no dependencies.
  bool is_fresh = !seen->is_finished && !seen->is_executing && !seen->is_cancelled && !seen->has_dependencies;
  bool is_asynchronous = seen->is_asynchronous || (facts & facts_runs_itself);
  if (is_fresh && describe_added(core, serial, facts, seen->name, is_asynchronous, probe, adding)) {
    optrace_operation_publish(probe, core);
    return serial;
  }
  described_list list = {0};
  describe(core, operation, seen, facts, probe, sight_enqueued, &list, adding);
  if (list.count) describe_dependencies(core, &list);
  return adding->is_open ? record(core, adding, serial) : serial;
}

// The same as `add_untouched`, for an operation whose getters have to be called. It does not belong to a recorder yet.
static bool add_unmet(optrace_recorder *core, void *operation, class_facts facts, optrace_operation *probe, addition *adding,
                      uint32_t *serial) {
  appearance seen = appearance_of(operation, sight_enqueued);
  *serial = optrace_recorder_next_serial(core);
  bool is_first = *serial && optrace_operation_attach(probe, *serial);
  if (is_first) *serial = add_described(core, operation, facts, probe, &seen, adding, *serial);
  string_release(seen.name);
  return is_first || !*serial;
}

uint32_t add_operation(optrace_recorder *core, void *operation, uint32_t queue) {
  class_facts facts = facts_of(core, operation);
  bool untouched = is_untouched(operation, facts);
  addition adding = addition_of(core, operation, queue, !untouched);
  optrace_operation *probe = optrace_object_know(operation, false);
  const optrace_recorder *owner = optrace_operation_owner(probe);
  if (!probe || (owner && owner != core)) return record(core, &adding, introduce_foreign(core, operation));
  uint32_t serial;
  if (!owner && (untouched ? add_untouched(core, facts, probe, &adding, &serial)
                           : add_unmet(core, operation, facts, probe, &adding, &serial)))
    return serial;
  serial = introduce(core, operation, probe, sight_enqueued, &adding);
  // The hooks check this bit.
  optrace_operation_claim(probe, optrace_bit_enqueued);
  return adding.is_open ? record(core, &adding, serial) : serial;
}
#endif
