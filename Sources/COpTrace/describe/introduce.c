#include "introduce.h"

#include <stdlib.h>

#include "../hooks/state.h"
#include "COpTraceFields.h"
#include "ask.h"
#include "foreign.h"
#include "texts.h"

#if OPTRACE_HAS_HOOKS

// An operation in a list. The list owns it, because its other owners may release it before its getters are called.
typedef struct described {
  void *operation;
  uint32_t number;
} described;

static void note(described_list *list, void *operation, uint32_t number) {
  if (list->count == list->room) {
    size_t room = list->room ? list->room * 2 : 16;
    described *larger = realloc(list->items, room * sizeof *larger);
    // Without memory the operation's dependencies are not recorded.
    if (!larger) return;
    list->items = larger;
    list->room = room;
  }
  runtime_retain(operation);
  list->items[list->count++] = (described){operation, number};
}

// ---- Calling getters -----------------------------------------------------------------------------------------------

appearance appearance_of(void *operation, sight how) {
  appearance seen = {0};
  // While a program adds an operation, or makes another one depend on it, the program may hold a lock that its getters take. So call no
  // getter where Foundation does not call it either.
  if (!((how == sight_enqueued || how == sight_named) && optrace_object_is_unused(operation))) {
    seen.is_finished = ask_is_finished(operation);
    seen.is_executing = ask_is_executing(operation);
  }
  seen.is_cancelled = ask_is_cancelled(operation);
  seen.is_asynchronous = ask_is_asynchronous(operation);
  void *dependencies = ask_dependencies(operation);
  seen.has_dependencies = array_count(dependencies) > 0;
  runtime_release(dependencies);
  seen.name = ask_name(operation);
  return seen;
}

// Returns how much of an operation will be recorded.
static uint8_t coverage_of(const optrace_recorder *core, const void *operation, sight how) {
  // A recorder that does not watch everything follows only the operations that it is given, from then on.
  if (hooks_watching_core() != core)
    return how == sight_enqueued ? coverage_full : how == sight_named ? coverage_external : coverage_partial;
  // It was enqueued or started before it was recorded.
  if (how == sight_running) return coverage_partial;
  return how == sight_enqueued || optrace_object_is_unused(operation) ? coverage_full : coverage_partial;
}

// ---- Records -------------------------------------------------------------------------------------------------------

uint64_t created_word(class_facts facts, uint8_t coverage, bool is_asynchronous) {
  return optrace_operation_created_word1((optrace_operation_created_fields){
    .class_ = facts & facts_name, .coverage = coverage, .async = is_asynchronous, .own_ready = facts & facts_readies_itself});
}

void describe_class(optrace_recorder *core, uint32_t serial, class_facts facts, swift_string name, uint8_t coverage,
                    bool is_asynchronous, const optrace_operation *probe) {
  optrace_emit_created(core, serial, created_word(facts, coverage, is_asynchronous), probe);
  if (string_is_nil(name)) return;
  string_text text;
  string_read(name, &text);
  optrace_emit_text(core, optrace_kind_operation_named, serial, 0, false, 0, text.bytes, string_prefix(&text));
  string_done(&text);
}

// Describes an operation that cannot be followed as external: all that is known about it is that it was named. Returns its number.
static uint32_t name_foreign(optrace_recorder *core, void *operation) {
  bool is_new;
  uint32_t serial = foreign_number(core, operation, &is_new);
  if (!is_new || !serial) return serial;
  swift_string name = ask_name(operation);
  describe_class(core, serial, facts_of(core, operation), name, coverage_external, false, NULL);
  string_release(name);
  return serial;
}

uint32_t introduce_foreign(optrace_recorder *core, void *operation) {
  bool is_new;
  uint32_t serial = foreign_number(core, operation, &is_new);
  if (!serial) return 0;
  swift_string name = ask_name(operation);
  describe_class(core, serial, facts_of(core, operation), name, coverage_partial, ask_is_asynchronous(operation), NULL);
  string_release(name);
  void *dependencies = ask_dependencies(operation);
  for (size_t i = 0; i < array_count(dependencies); i++) {
    optrace_dependency_added_fields on = {.on = introduce_named(core, array_object(dependencies, i))};
    optrace_emit2(core, optrace_kind_dependency_added, serial, optrace_dependency_added_word1(on));
  }
  runtime_release(dependencies);
  return serial;
}

bool describe_added(optrace_recorder *core, uint32_t serial, class_facts facts, swift_string name, bool is_asynchronous,
                    optrace_operation *probe, const addition *adding) {
  if (!string_is_nil(name) || (facts & facts_readies_itself)) return false;
  if (optrace_wants_makers() && optrace_operation_has_maker(probe, core)) return false;
  // Later calls of `isReady` add no information.
  optrace_operation_claim(probe, optrace_bit_ready);
  optrace_emit_added(core, optrace_kind_added, serial, created_word(facts, coverage_full, is_asynchronous), adding->word, probe,
                     adding->stack);
  return true;
}

void describe(optrace_recorder *core, void *operation, const appearance *seen, class_facts facts, optrace_operation *probe,
              sight how, described_list *list, addition *adding) {
  if (facts & facts_executes_itself) optrace_operation_claim(probe, optrace_bit_own_executing);
  uint32_t serial = optrace_operation_serial(probe);
  // Events before the recorder first saw the operation are not in the trace, so their absence proves nothing.
  uint8_t coverage = seen->is_finished || seen->is_executing || how == sight_running ? coverage_partial : coverage_full;
  uint8_t at_most = coverage_of(core, operation, how);
  if (coverage < at_most) coverage = at_most;
  if (coverage == coverage_partial) optrace_operation_claim(probe, optrace_bit_partial);
  bool is_asynchronous = seen->is_asynchronous || (facts & facts_runs_itself);
  if (adding && adding->is_open && coverage == coverage_full && !seen->has_dependencies && !seen->is_cancelled &&
      describe_added(core, serial, facts, seen->name, is_asynchronous, probe, adding)) {
    adding->is_open = false;
    optrace_operation_publish(probe, core);
    return;
  }
  describe_class(core, serial, facts, seen->name, coverage, is_asynchronous, probe);
  if (seen->is_cancelled) optrace_emit1(core, optrace_kind_cancel_requested, serial);
  if (seen->is_finished) {
    optrace_operation_claim(probe, optrace_bit_finish_recorded);
    optrace_emit1(core, optrace_kind_finished, serial);
    optrace_operation_claim(probe, optrace_bit_finish_written);
  }
  if (coverage == coverage_external) optrace_operation_claim(probe, optrace_bit_external);
  else if (seen->has_dependencies) note(list, operation, serial);
  optrace_operation_publish(probe, core);
}

// Describes an operation as partially covered: its start should have been recorded, but was not.
static void describe_in_part(optrace_recorder *core, void *operation, optrace_operation *probe) {
  class_facts facts = facts_of(core, operation);
  bool is_asynchronous = ask_is_asynchronous(operation) || (facts & facts_runs_itself);
  if (!optrace_operation_claim(probe, optrace_bit_partial)) return;
  describe_class(core, optrace_operation_serial(probe), facts, (swift_string){0}, coverage_partial, is_asynchronous, probe);
}

// ---- Introducing ---------------------------------------------------------------------------------------------------

// Numbers and describes an operation that belongs to no recorder yet. `serial` receives its number; 0: there is none. False: another
// thread was faster.
static bool meet(optrace_recorder *core, void *operation, optrace_operation *probe, sight how, described_list *list,
                 addition *adding, uint32_t *serial) {
  appearance seen = appearance_of(operation, how);
  class_facts facts = facts_of(core, operation);
  *serial = optrace_recorder_next_serial(core);
  bool is_first = *serial && optrace_operation_attach(probe, *serial);
  if (is_first) describe(core, operation, &seen, facts, probe, how, list, adding);
  string_release(seen.name);
  return is_first || !*serial;
}

static uint32_t identify(optrace_recorder *core, void *operation, optrace_operation *probe, sight how, described_list *list,
                         addition *adding) {
  uint32_t serial;
  if (!probe) return name_foreign(core, operation);
  if (!optrace_operation_owner(probe) && meet(core, operation, probe, how, list, adding, &serial)) return serial;
  if (optrace_operation_owner(probe) != core) return name_foreign(core, operation);
  if (how != sight_named && optrace_operation_has(probe, optrace_bit_external) &&
      optrace_operation_release(probe, optrace_bit_external)) {
    appearance seen = appearance_of(operation, how);
    describe(core, operation, &seen, facts_of(core, operation), probe, how, list, adding);
    string_release(seen.name);
  } else if (how == sight_running) {
    describe_in_part(core, operation, probe);
  }
  return optrace_operation_serial(probe);
}

static void record_dependency(optrace_recorder *core, uint32_t number, uint32_t target) {
  // In a chain of dependencies the numbers are often consecutive.
  if (target && target == number - 1) optrace_emit1(core, optrace_kind_depends_on_last, number);
  else optrace_emit2(core, optrace_kind_dependency_added, number,
                     optrace_dependency_added_word1((optrace_dependency_added_fields){.on = target}));
}

// Uses a list instead of recursion, because chains of dependencies may be long.
void describe_dependencies(optrace_recorder *core, described_list *list) {
  while (list->count) {
    described next = list->items[--list->count];
    void *dependencies = ask_dependencies(next.operation);
    for (size_t i = 0; i < array_count(dependencies); i++) {
      void *dependency = array_object(dependencies, i);
      record_dependency(core, next.number,
                        identify(core, dependency, optrace_object_know(dependency, false), sight_named, list, NULL));
    }
    runtime_release(dependencies);
    runtime_release(next.operation);
  }
  free(list->items);
  *list = (described_list){0};
}

uint32_t introduce(optrace_recorder *core, void *operation, optrace_operation *probe, sight how, addition *adding) {
  described_list list = {0};
  uint32_t serial = identify(core, operation, probe, how, &list, adding);
  if (list.count) describe_dependencies(core, &list);
  return serial;
}

uint32_t introduce_named(optrace_recorder *core, void *operation) {
  return introduce(core, operation, optrace_object_know(operation, false), sight_named, NULL);
}
#endif
