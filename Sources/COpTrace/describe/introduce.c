#include "introduce.h"

#include <stdlib.h>

#include "../objects/state.h"
#include "COpTraceBegin.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "foreign.h"
#include "../objects/readers.h"

// An operation in a list. The list owns it, because its other owners may release it before its getters are called.
typedef struct described {
  void *operation;
  uint32_t number;
} described;

void describe_later(described_list *list, void *operation, uint32_t number) {
  if (list->count == list->room) {
    size_t room = list->room ? list->room * 2 : 16;
    described *larger = realloc(list->items, room * sizeof *larger);
    // Without memory the operation's dependencies are not recorded.
    if (!larger) return;
    list->items = larger;
    list->room = room;
  }
  readers.retain(operation);
  list->items[list->count++] = (described){operation, number};
}

// ---- Entries -------------------------------------------------------------------------------------------------------

static bool uses_hooks(optrace_recorder *core) {
  uint32_t use = optrace_recorder_hooks(core);
  return use == optrace_hooks_unasked && readers.uses_hooks ? readers.uses_hooks(core) : use == optrace_hooks_used;
}

optrace_operation *entry_of_other(optrace_recorder *core, void *operation) {
  if (!uses_hooks(core)) return NULL;
  return readers.observe ? readers.observe(operation) : optrace_object_know(operation, false);
}

optrace_operation *entry_of(optrace_recorder *core, void *operation) {
  optrace_operation *own = own_entry(operation);
  return own ? own : entry_of_other(core, operation);
}

// ---- What is asked -------------------------------------------------------------------------------------------------

uint32_t questions_of(void *operation, const optrace_operation *own, optrace_sight how) {
  uint32_t which = optrace_ask_asynchronous | optrace_ask_name;
  // One of ours knows itself whether it was used, and whether it depends on others.
  if (own) {
    which |= optrace_ask_location;
    bool is_unused = how == optrace_sight_enqueued && !optrace_operation_has(own, optrace_bit_used);
    return is_unused ? which : which | optrace_ask_states | optrace_ask_cancelled;
  }
  which |= optrace_ask_cancelled | optrace_ask_dependencies;
  // While a program adds an operation, or makes another one depend on it, the program may hold a lock that its getters take. So call no
  // getter where Foundation does not call it either.
  bool is_unused = (how == optrace_sight_enqueued || how == optrace_sight_named) && optrace_object_is_unused(operation);
  return is_unused ? which : which | optrace_ask_states;
}

// Returns how much of an operation that is not ours will be recorded.
static uint8_t coverage_of(const optrace_recorder *core, const void *operation, optrace_sight how) {
  // A recorder that does not watch everything follows only the operations that it is given, from then on.
  if (hooks_watching_core() != core)
    return how == optrace_sight_enqueued ? coverage_full : how == optrace_sight_named ? coverage_external : coverage_partial;
  // It was enqueued or started before it was recorded.
  if (how == optrace_sight_running) return coverage_partial;
  return how == optrace_sight_enqueued || optrace_object_is_unused(operation) ? coverage_full : coverage_partial;
}

// ---- Records -------------------------------------------------------------------------------------------------------

uint32_t marks_of(class_facts facts) {
  return (facts & optrace_class_ready_is_hooked ? optrace_bit_own_ready : 0u) |
         (facts & optrace_class_run_is_hooked ? optrace_bit_own_start : 0u) |
         (facts & optrace_class_executes_itself ? optrace_bit_own_executing : 0u);
}

uint64_t created_word(class_facts facts, uint8_t coverage, bool is_asynchronous) {
  // A class that keeps its states itself goes on after `start()` has returned.
  uint32_t goes_on = optrace_class_run_is_hooked | optrace_class_run_is_unseen;
  return optrace_operation_created_word1((optrace_operation_created_fields){
    .class_ = facts & facts_name, .coverage = coverage, .async = is_asynchronous || (facts & goes_on),
    .own_ready = facts & optrace_class_readies_itself});
}

void describe_class(optrace_recorder *core, uint32_t serial, class_facts facts, const optrace_answers *seen, uint8_t coverage,
                    bool is_asynchronous, const optrace_operation *entry) {
  optrace_emit_created(core, serial, created_word(facts, coverage, is_asynchronous), entry);
  if (!seen->has_name && !seen->location) return;
  uint32_t high = optrace_operation_named_high((optrace_operation_named_fields){.source = (uint16_t)seen->location});
  optrace_emit_text(core, optrace_kind_operation_named, serial, high, false, 0, seen->name,
                    optrace_text_length(seen->name, seen->name_length));
}

typedef struct {
  optrace_recorder *core;
  class_facts facts;
  uint32_t serial;
  uint8_t coverage;
} foreign;

static void take_foreign(void *context, const optrace_answers *seen) {
  const foreign *f = context;
  describe_class(f->core, f->serial, f->facts, seen, f->coverage, seen->is_asynchronous, NULL);
}

// Describes an operation that cannot be followed as external: all that is known about it is that it was named. Returns its number.
static uint32_t name_foreign(optrace_recorder *core, void *operation) {
  bool is_new;
  uint32_t serial = foreign_number(core, operation, &is_new);
  if (!is_new || !serial) return serial;
  foreign f = {core, facts_of(core, operation), serial, coverage_external};
  readers.ask(core, operation, optrace_ask_name, &f, take_foreign);
  return serial;
}

typedef struct {
  optrace_recorder *core;
  uint32_t number;
  described_list *list;
} dependent;

static void add_dependency(void *context, void *dependency) {
  const dependent *d = context;
  optrace_dependency_added_fields on = {.on = optrace_introduce(d->core, dependency, optrace_sight_named)};
  optrace_emit2(d->core, optrace_kind_dependency_added, d->number, optrace_dependency_added_word1(on));
}

uint32_t introduce_foreign(optrace_recorder *core, void *operation) {
  bool is_new;
  uint32_t serial = foreign_number(core, operation, &is_new);
  if (!serial) return 0;
  foreign f = {core, facts_of(core, operation), serial, coverage_partial};
  readers.ask(core, operation, optrace_ask_name | optrace_ask_asynchronous, &f, take_foreign);
  readers.dependencies(operation, &(dependent){core, serial, NULL}, add_dependency);
  return serial;
}

bool describe_added(optrace_recorder *core, uint8_t kind, uint32_t serial, class_facts facts, const optrace_answers *seen,
                    bool is_asynchronous, optrace_operation *entry, const addition *adding) {
  if (seen->has_name || seen->location || (kind == optrace_kind_added && (facts & optrace_class_readies_itself))) return false;
  if (optrace_wants_makers() && optrace_operation_has_maker(entry, core)) return false;
  // Later calls of `isReady` add no information.
  if (kind == optrace_kind_added) optrace_operation_claim(entry, optrace_bit_ready);
  optrace_emit_added(core, kind, serial, created_word(facts, coverage_full, is_asynchronous), adding->word, entry, adding->stack);
  return true;
}

void describe(optrace_recorder *core, void *operation, const optrace_answers *seen, class_facts facts, optrace_operation *entry,
              optrace_sight how, described_list *list, addition *adding) {
  bool is_ours = facts & optrace_class_is_ours;
  uint32_t marks = marks_of(facts), serial = optrace_operation_serial(entry);
  if (marks) optrace_operation_claim(entry, marks);
  // Events before the recorder first saw the operation are not in the trace, so their absence proves nothing.
  bool is_late = seen->is_finished || seen->is_executing || how == optrace_sight_running;
  uint8_t coverage = is_late || (facts & optrace_class_run_is_unseen) ? coverage_partial : coverage_full;
  uint8_t at_least = is_ours ? coverage_full : coverage_of(core, operation, how);
  if (coverage < at_least) coverage = at_least;
  if (coverage == coverage_partial) optrace_operation_claim(entry, optrace_bit_partial);
  bool is_asynchronous = seen->is_asynchronous || (!is_ours && (facts & optrace_class_runs_itself));
  bool waits = is_ours ? optrace_operation_has(entry, optrace_bit_has_dependencies) : seen->has_dependencies;
  if (adding && adding->is_open && coverage == coverage_full && !waits && !seen->is_cancelled &&
      describe_added(core, optrace_kind_added, serial, facts, seen, is_asynchronous, entry, adding)) {
    adding->is_open = false;
    optrace_operation_publish(entry, core);
    return;
  }
  describe_class(core, serial, facts, seen, coverage, is_asynchronous, entry);
  if (seen->is_cancelled) optrace_emit1(core, optrace_kind_cancel_requested, serial);
  if (seen->is_finished) {
    optrace_operation_claim(entry, optrace_bit_finish_recorded);
    optrace_emit1(core, optrace_kind_finished, serial);
    optrace_operation_claim(entry, optrace_bit_finish_written);
  }
  if (coverage == coverage_external) optrace_operation_claim(entry, optrace_bit_external);
  else if (waits) describe_later(list, operation, serial);
  optrace_operation_publish(entry, core);
}

// ---- Introducing ---------------------------------------------------------------------------------------------------

// An operation that is described now: one that belongs to no recorder yet, or that was only named so far.
typedef struct {
  optrace_recorder *core;
  void *operation;
  optrace_operation *entry;
  optrace_sight how;
  described_list *list;
  addition *adding;
  class_facts facts;
  uint32_t serial;
  bool is_met;  // False: another thread was faster.
} meeting;

static void describe_met(const meeting *m, const optrace_answers *seen) {
  describe(m->core, m->operation, seen, m->facts, m->entry, m->how, m->list, m->adding);
}

static void take_new(void *context, const optrace_answers *seen) {
  meeting *m = context;
  m->serial = optrace_recorder_next_serial(m->core);
  bool is_first = m->serial && optrace_operation_attach(m->entry, m->serial);
  if (is_first) describe_met(m, seen);
  m->is_met = is_first || !m->serial;
}

static void take_again(void *context, const optrace_answers *seen) { describe_met(context, seen); }

static void take_in_part(void *context, const optrace_answers *seen) {
  const meeting *m = context;
  bool is_ours = m->facts & optrace_class_is_ours;
  bool is_asynchronous = seen->is_asynchronous || (!is_ours && (m->facts & optrace_class_runs_itself));
  if (!optrace_operation_claim(m->entry, optrace_bit_partial)) return;
  describe_class(m->core, optrace_operation_serial(m->entry), m->facts, &(optrace_answers){0}, coverage_partial, is_asynchronous,
                 m->entry);
}

static void ask(meeting *m, uint32_t which, optrace_take_answers take) {
  m->facts = facts_of(m->core, m->operation);
  readers.ask(m->core, m->operation, which, m, take);
}

static uint32_t identify(optrace_recorder *core, void *operation, optrace_operation *entry, optrace_sight how, described_list *list,
                         addition *adding) {
  if (!entry) return name_foreign(core, operation);
  meeting m = {.core = core, .operation = operation, .entry = entry, .how = how, .list = list, .adding = adding};
  const optrace_operation *own = own_entry(operation);
  if (!optrace_operation_owner(entry)) {
    ask(&m, questions_of(operation, own, how), take_new);
    if (m.is_met) return m.serial;
  }
  if (optrace_operation_owner(entry) != core) return name_foreign(core, operation);
  if (how != optrace_sight_named && optrace_operation_has(entry, optrace_bit_external) &&
      optrace_operation_release(entry, optrace_bit_external))
    ask(&m, questions_of(operation, own, how), take_again);
  else if (how == optrace_sight_running)
    // Its start should have been recorded, but was not.
    ask(&m, optrace_ask_asynchronous | (own ? optrace_ask_location : 0u), take_in_part);
  return optrace_operation_serial(entry);
}

static void record_dependency(optrace_recorder *core, uint32_t number, uint32_t target) {
  // In a chain of dependencies the numbers are often consecutive.
  if (target && target == number - 1) optrace_emit1(core, optrace_kind_depends_on_last, number);
  else optrace_emit2(core, optrace_kind_dependency_added, number,
                     optrace_dependency_added_word1((optrace_dependency_added_fields){.on = target}));
}

static void identify_dependency(void *context, void *dependency) {
  const dependent *d = context;
  record_dependency(d->core, d->number,
                    identify(d->core, dependency, entry_of(d->core, dependency), optrace_sight_named, d->list, NULL));
}

// Uses a list instead of recursion, because chains of dependencies may be long.
void describe_dependencies(optrace_recorder *core, described_list *list) {
  while (list->count) {
    described next = list->items[--list->count];
    readers.dependencies(next.operation, &(dependent){core, next.number, list}, identify_dependency);
    readers.release(next.operation);
  }
  free(list->items);
  *list = (described_list){0};
}

uint32_t introduce(optrace_recorder *core, void *operation, optrace_operation *entry, optrace_sight how, addition *adding) {
  described_list list = {0};
  uint32_t serial = identify(core, operation, entry, how, &list, adding);
  if (list.count) describe_dependencies(core, &list);
  return serial;
}

uint32_t optrace_introduce(optrace_recorder *core, void *operation, optrace_sight how) {
  return introduce(core, operation, entry_of(core, operation), how, NULL);
}

void optrace_dependency_changes(const optrace_operation *entry, void *other, bool is_added) {
  optrace_recorder *core = optrace_operation_recorder(entry);
  if (!core || !optrace_recorder_is_recording(core)) return;
  uint32_t on = optrace_introduce(core, other, optrace_sight_named), number = optrace_operation_serial(entry);
  if (is_added) record_dependency(core, number, on);
  else optrace_emit2(core, optrace_kind_dependency_removed, number,
                     optrace_dependency_removed_word1((optrace_dependency_removed_fields){.on = on}));
}
