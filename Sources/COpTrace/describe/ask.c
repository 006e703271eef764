// Calls getters through the method table of the object's class, as compiled code does.
#include "ask.h"

#include <stdatomic.h>

#include "../objects/classes.h"

#if OPTRACE_HAS_HOOKS

static void *getter_of(const void *operation, uint32_t index) {
  const uint8_t *table = *(const uint8_t *const *)operation;
  return atomic_load_explicit((void *_Atomic *)(uintptr_t)(table + class_methods(class_operation)[index].offset), memory_order_relaxed);
}

static bool ask(void *operation, uint32_t index) { return ((getter)getter_of(operation, index))(operation); }

bool ask_is_finished(void *operation) { return ask(operation, method_is_finished); }
bool ask_is_executing(void *operation) { return ask(operation, method_is_executing); }
bool ask_is_cancelled(void *operation) { return ask(operation, method_is_cancelled); }
bool ask_is_asynchronous(void *operation) { return ask(operation, method_get_asynchronous); }

swift_string ask_name(void *operation) {
  if (!strings_known()) return (swift_string){0};
  return ((SWIFT swift_string (*)(SELF))getter_of(operation, method_get_name))(operation);
}

void *ask_dependencies(void *operation) {
  return ((SWIFT void *(*)(SELF))getter_of(operation, method_get_dependencies))(operation);
}

static uint8_t ask_place(void *operation, uint32_t index) {
  return ((SWIFT uint8_t (*)(SELF))getter_of(operation, index))(operation);
}

int8_t ask_priority(void *operation) { return priority_number(ask_place(operation, method_get_priority)); }
uint8_t ask_quality(void *operation) { return quality_number(ask_place(operation, method_get_quality)); }

// ---- Cases ---------------------------------------------------------------------------------------------------------

enum { cases = 5 };
// From the lowest to the highest. Foundation's raw values are also the trace format's numbers.
static const int8_t priorities[cases] = {-8, -4, 0, 4, 8};
// The cases in Foundation's order: userInteractive, userInitiated, utility, background, default.
static const uint8_t qualities[cases] = {4, 3, 2, 1, 0};
static bool are_priorities_known, are_qualities_known;

int8_t priority_number(uint8_t place) { return are_priorities_known && place < cases ? priorities[place] : 0; }
uint8_t quality_number(uint8_t place) { return are_qualities_known && place < cases ? qualities[place] : 0; }

typedef SWIFT int64_t (*raw_value)(uint8_t place);

static bool are_as(const char *symbol, const int64_t expected[cases]) {
  raw_value value = (raw_value)runtime_find(symbol);
  // The function may be missing, because linkers drop functions that nobody calls. Then the expected values are assumed: compilers have
  // inlined them into other programs, so they cannot change.
  for (uint8_t place = 0; value && place < cases; place++)
    if (value(place) != expected[place]) return false;
  return true;
}

const char *cases_prove(void) {
  static const int64_t raw_priorities[cases] = {-8, -4, 0, 4, 8}, raw_qualities[cases] = {0, 1, 2, 3, 4};
  are_priorities_known = are_as("$s10Foundation9OperationC13QueuePriorityO8rawValueSivg", raw_priorities);
  are_qualities_known = are_as("$s10Foundation16QualityOfServiceO8rawValueSivg", raw_qualities);
  return are_priorities_known && are_qualities_known ? NULL : "this Foundation has other priorities and qualities of service";
}
#endif
