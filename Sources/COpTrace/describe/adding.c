// Operations that are added to queues. Where possible one record both describes the operation and adds it.
#include "COpTraceBegin.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "introduce.h"
#include "../held/work.h"
#include "../objects/readers.h"

static addition addition_of(optrace_recorder *core, const optrace_answers *seen, uint32_t queue) {
  optrace_enqueued_fields fields = {.queue = queue, .priority = seen->priority, .qos = seen->quality};
  return (addition){.word = optrace_enqueued_word1(fields), .stack = optrace_caller_stack(core), .is_open = true};
}

// Records that an operation is enqueued. Returns its number; 0: it has none, and nothing is recorded.
static uint32_t record(optrace_recorder *core, uint8_t kind, const addition *adding, uint32_t serial) {
  if (serial) held_work_is_given(serial, optrace_enqueued_read(adding->word).queue, optrace_held_slot, 0);
  if (serial) optrace_emit2_at(core, kind, serial, adding->word, adding->stack);
  return serial;
}

static uint32_t record_if_open(optrace_recorder *core, const addition *adding, uint32_t serial) {
  return adding->is_open ? record(core, optrace_kind_enqueued, adding, serial) : serial;
}

// An operation that is being added.
typedef struct {
  optrace_recorder *core;
  void *operation;
  optrace_operation *entry;
  class_facts facts;
  uint32_t queue;
  bool is_untouched;
  optrace_added result;
} add;

// ---- Other classes -------------------------------------------------------------------------------------------------

// True if one record can describe an operation without calling its getters: nothing has been done with it, its class overrides none
// of the getters, and its creation site is not recorded.
static bool is_untouched(const void *operation, class_facts facts) {
  return !(facts & (optrace_class_answers_itself | optrace_class_readies_itself)) && !optrace_wants_makers() &&
         optrace_object_is_untouched(operation);
}

// Describes and adds an operation with one record. This is the fast path, for nearly every operation. False: another thread was faster.
static bool add_untouched(const add *a, const addition *adding, uint32_t *serial) {
  *serial = optrace_recorder_next_serial(a->core);
  if (!*serial) return true;
  if (!optrace_operation_attach(a->entry, *serial)) return false;
  // The hooks check these bits.
  optrace_operation_claim(a->entry, optrace_bit_enqueued | optrace_bit_ready | marks_of(a->facts));
  uint64_t created = created_word(a->facts, coverage_full, a->facts & optrace_class_runs_itself);
  optrace_emit_added(a->core, optrace_kind_added, *serial, created, adding->word, a->entry, adding->stack);
  optrace_operation_publish(a->entry, a->core);
  return true;
}

// Describes an attached operation and records that it is enqueued. Returns its number. This may take more than one record.
static uint32_t add_described(const add *a, const optrace_answers *seen, addition *adding, uint32_t serial) {
  // The hooks check these bits.
  uint32_t bits = optrace_bit_enqueued | marks_of(a->facts);
  if (seen->has_dependencies) bits |= optrace_bit_has_dependencies;
  optrace_operation_claim(a->entry, bits);
  // The operation has not been used, and has no dependencies.
  bool is_fresh = !seen->is_finished && !seen->is_executing && !seen->is_cancelled && !seen->has_dependencies;
  bool is_asynchronous = seen->is_asynchronous || (a->facts & optrace_class_runs_itself);
  if (is_fresh && describe_added(a->core, optrace_kind_added, serial, a->facts, seen, is_asynchronous, a->entry, adding)) {
    optrace_operation_publish(a->entry, a->core);
    return serial;
  }
  described_list list = {0};
  describe(a->core, a->operation, seen, a->facts, a->entry, optrace_sight_enqueued, &list, adding);
  if (list.count) describe_dependencies(a->core, &list);
  return record_if_open(a->core, adding, serial);
}

// The same as `add_untouched`, for an operation whose getters have been called. It does not belong to a recorder yet.
static bool add_unmet(const add *a, const optrace_answers *seen, addition *adding, uint32_t *serial) {
  *serial = optrace_recorder_next_serial(a->core);
  bool is_first = *serial && optrace_operation_attach(a->entry, *serial);
  if (is_first) *serial = add_described(a, seen, adding, *serial);
  return is_first || !*serial;
}

static void take_other(void *context, const optrace_answers *seen) {
  add *a = context;
  addition adding = addition_of(a->core, seen, a->queue);
  const optrace_recorder *owner = optrace_operation_owner(a->entry);
  uint32_t serial;
  if (!a->entry || (owner && owner != a->core)) {
    a->result.serial = record(a->core, optrace_kind_enqueued, &adding, introduce_foreign(a->core, a->operation));
    return;
  }
  if (!owner && (a->is_untouched ? add_untouched(a, &adding, &serial) : add_unmet(a, seen, &adding, &serial))) {
    a->result = (optrace_added){serial, a->entry};
    return;
  }
  serial = introduce(a->core, a->operation, a->entry, optrace_sight_enqueued, &adding);
  // The hooks check this bit.
  optrace_operation_claim(a->entry, optrace_bit_enqueued);
  a->result.serial = record_if_open(a->core, &adding, serial);
}

static void add_other(add *a) {
  a->entry = entry_of_other(a->core, a->operation);
  a->is_untouched = is_untouched(a->operation, a->facts);
  uint32_t which = optrace_ask_priority;
  if (!a->is_untouched) which |= optrace_ask_quality;
  if (!a->is_untouched && a->entry && !optrace_operation_owner(a->entry))
    which |= questions_of(a->operation, NULL, optrace_sight_enqueued);
  readers.ask(a->core, a->operation, which, a, take_other);
}

// ---- Our own classes -----------------------------------------------------------------------------------------------

// The dependencies of an operation: how many, and the number of the last that was asked.
typedef struct {
  const optrace_recorder *core;
  size_t count;
  uint32_t number;
} dependencies_seen;

static void look_at_dependency(void *context, void *dependency) {
  dependencies_seen *d = context;
  // Only one of ours says whether it is known without being introduced.
  if (!d->count++) d->number = optrace_operation_known(own_entry(dependency), d->core);
}

static bool may_add_own(const add *a) {
  return !optrace_operation_owner(a->entry) && !optrace_operation_has(a->entry, optrace_bit_used);
}

// For one that was used, or that a recorder knows.
static uint32_t add_used(const add *a, const addition *adding) {
  const optrace_recorder *owner = optrace_operation_owner(a->entry);
  if (owner && owner != a->core)
    return record(a->core, optrace_kind_enqueued, adding, introduce_foreign(a->core, a->operation));
  uint32_t serial = introduce(a->core, a->operation, a->entry, optrace_sight_enqueued, NULL);
  if (optrace_operation_has(a->entry, optrace_bit_own_start)) optrace_operation_claim(a->entry, optrace_bit_enqueued);
  return record(a->core, optrace_kind_enqueued, adding, serial);
}

// The path of nearly every operation of ours: it has not been used yet, as it knows itself.
static uint32_t add_own(const add *a, const optrace_answers *seen) {
  addition adding = addition_of(a->core, seen, a->queue);
  if (!may_add_own(a)) return add_used(a, &adding);
  // The program's code, so it is called before others wait for the description.
  dependencies_seen found = {.core = a->core};
  if (optrace_operation_has(a->entry, optrace_bit_has_dependencies)) readers.dependencies(a->operation, &found, look_at_dependency);
  uint32_t serial = optrace_recorder_next_serial(a->core);
  if (!serial) return 0;
  // If not, another thread was faster.
  if (!optrace_operation_attach(a->entry, serial)) return add_used(a, &adding);
  // The hooks check these bits.
  uint32_t marks = marks_of(a->facts) | (a->facts & optrace_class_run_is_hooked ? optrace_bit_enqueued : 0u);
  if (marks) optrace_operation_claim(a->entry, marks);
  bool waits = optrace_operation_has(a->entry, optrace_bit_has_dependencies), is_unseen = a->facts & optrace_class_run_is_unseen;
  // The only dependency is the operation with the previous number.
  bool waits_for_last = found.count == 1 && found.number && found.number == serial - 1;
  uint8_t kind = waits ? optrace_kind_added_behind_last : optrace_kind_added;
  if ((!waits || waits_for_last) && !is_unseen &&
      describe_added(a->core, kind, serial, a->facts, seen, seen->is_asynchronous, a->entry, &adding)) {
    optrace_operation_publish(a->entry, a->core);
    return serial;
  }
  // It waits for nothing, and only Foundation decides that: later calls of `isReady` add no information.
  bool is_ready = !waits && !(a->facts & optrace_class_readies_itself);
  if (is_ready) optrace_operation_claim(a->entry, optrace_bit_ready);
  describe_class(a->core, serial, a->facts, seen, is_unseen ? coverage_partial : coverage_full, seen->is_asynchronous, a->entry);
  optrace_operation_publish(a->entry, a->core);
  if (waits) {
    described_list list = {0};
    describe_later(&list, a->operation, serial);
    describe_dependencies(a->core, &list);
  }
  return record(a->core, is_ready ? optrace_kind_enqueued_ready : optrace_kind_enqueued, &adding, serial);
}

static void take_own(void *context, const optrace_answers *seen) {
  add *a = context;
  a->result.serial = add_own(a, seen);
}

// ---- Both ----------------------------------------------------------------------------------------------------------

// An operation whose steps would not be reported gets no companion.
static void accompany(const add *a, void *queue, optrace_operation *queue_entry) {
  optrace_operation *entry = a->entry ? a->entry : entry_of(a->core, a->operation);
  uint32_t serial = a->result.serial;
  if (!readers.accompany || !entry || optrace_operation_known(entry, a->core) != serial) return;
  readers.accompany(a->operation, entry, serial, queue, queue_entry);
  // Reported here if the record of the adding contains it: nothing calls `isReady` any more.
  if (optrace_operation_has(entry, optrace_bit_ready)) optrace_operation_notify(entry, optrace_kind_ready, NULL, 0);
}

optrace_added optrace_add(optrace_recorder *core, void *operation, optrace_operation *own, const optrace_answers *answers, void *queue,
                          optrace_operation *queue_entry) {
  add a = {.core = core, .operation = operation, .entry = own, .result.entry = own};
  if (!optrace_recorder_is_recording(core)) return a.result;
  a.queue = optrace_queue_introduce(core, queue, queue_entry);
  if (!a.queue) return a.result;
  a.facts = facts_with(core, operation, answers ? answers->function : 0);
  if (!own && (a.facts & optrace_class_is_ours)) a.result.entry = a.entry = own_entry(operation);
  if (!a.entry) add_other(&a);
  else if (answers) take_own(&a, answers);
  else readers.ask(core, operation, optrace_questions_of_own(a.entry), &a, take_own);
  if (!a.result.serial) return a.result;
  optrace_record_within(core, a.result.serial);
  if (optrace_wants_companions()) accompany(&a, queue, queue_entry);
  return a.result;
}
