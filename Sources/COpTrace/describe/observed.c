// The class of the test operation is a copy of Foundation's class in our own memory, with two methods replaced. It is like the class that
// a compiler makes for a subclass without properties. It contains everything that the runtime and Foundation need from an object's class:
// the method table, the size, and the function that frees an object.
#include "observed.h"

#include <stdlib.h>
#include <string.h>

#include "../objects/classes.h"
#include "../objects/layout.h"

#if OPTRACE_HAS_HOOKS

typedef SWIFT void *(*initialiser)(SELF);

static void *make(const void *metadata) {
  initialiser begin = (initialiser)runtime_find("$s10Foundation9OperationCACycfc");
  void *object = begin ? runtime_allocate(metadata, ((const class_metadata *)metadata)->instance_size) : NULL;
  return object ? begin(object) : NULL;
}

static const void *operation_class(void) {
  const void *class = runtime_find("$s10Foundation9OperationCN"), *above = runtime_find("$s10Foundation8NSObjectCN");
  return class && above && is_class(class, above) ? class : NULL;
}

// ---- Observed ------------------------------------------------------------------------------------------------------

static bool observe(void *object, uint32_t method, uint32_t question) {
  bool answer = ((getter)class_methods(class_operation)[method].real)(object);
  optrace_own_observed(object, question, answer);
  return answer;
}

static SWIFT bool is_executing(SELF) { return observe(self, method_is_executing, optrace_own_executing); }
static SWIFT bool is_finished(SELF) { return observe(self, method_is_finished, optrace_own_finished); }

// Fills the method table with Foundation's own methods, not with hooks of another copy of this recorder, and replaces two of them.
static void fill(uint8_t *metadata) {
  const hooked_method *methods = class_methods(class_operation);
  for (const hooked_method *m = methods; m->symbol; m++)
    if (m->offset) memcpy(metadata + m->offset, &m->address, sizeof m->address);
  getter own[] = {is_executing, is_finished};
  memcpy(metadata + methods[method_is_executing].offset, &own[0], sizeof own[0]);
  memcpy(metadata + methods[method_is_finished].offset, &own[1], sizeof own[1]);
}

void *observed_make(void) {
  // Kept for good: the runtime may remember the class.
  static uint8_t *copy;
  const class_metadata *class = operation_class();
  if (!class) return NULL;
  uint32_t before = class->class_address;
  if (!copy) {
    uint8_t *memory = aligned_alloc(16, (class->class_size + (size_t)15) & ~(size_t)15);
    // The words before the class's address keep their distance from it, and the address keeps its alignment.
    if (!memory) return NULL;
    memcpy(memory, (const uint8_t *)class - before, class->class_size);
    copy = memory + before;
    ((class_metadata *)(void *)copy)->superclass = class;
    void *destroy = class_methods(class_operation)[method_destroy].address;
    memcpy(copy - destroy_offset, &destroy, sizeof destroy);
    fill(copy);
  }
  return make(copy);
}
#endif
