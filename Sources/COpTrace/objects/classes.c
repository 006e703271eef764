// Method tables. Every class has its own table in its metadata, which includes copies of the inherited entries, so a method is at the
// same offset in all of them. The offsets are found by searching the tables of Foundation's own classes for Foundation's functions.
#include "classes.h"

#include "../base/bits.h"
#include "../base/own_lock.h"
#include "../book/book.h"
#include "../stacks/modules.h"
#include "arrays.h"
#include "foundation.h"
#include "layout.h"
#include "memory.h"
#include "own.h"
#include "readers.h"
#include "state.h"

#if OPTRACE_HAS_HOOKS
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { class_slot_bits = 13, class_slots = 1 << class_slot_bits };

static class_entry *_Atomic classes[class_slots];
static uint32_t class_count;
static pthread_mutex_t change = PTHREAD_MUTEX_INITIALIZER;

static const class_metadata *superclass_of(const void *metadata) {
  return ((const class_metadata *)metadata)->superclass;
}

// The address of a method's entry: `deinit` is before the metadata's address, all others are after it.
static void *_Atomic *entry_address(const void *metadata, const hooked_method *m) {
  uintptr_t address = (uintptr_t)metadata;
  return (void *_Atomic *)(m->offset ? address + m->offset : address - destroy_offset);
}

static uint32_t slot_of(const void *metadata) { return hash_index((uintptr_t)metadata / sizeof(void *), class_slot_bits); }

static class_entry *find(const void *metadata) {
  for (uint32_t slot = slot_of(metadata);; slot = (slot + 1) % class_slots) {
    class_entry *entry = atomic_load_explicit(&classes[slot], memory_order_acquire);
    if (!entry || entry->metadata == metadata) return entry;
  }
}

static __attribute__((noinline)) const class_entry *find_above(const void *metadata) {
  for (; metadata; metadata = superclass_of(metadata)) {
    const class_entry *entry = find(metadata);
    if (entry) return entry;
  }
  return NULL;
}

const class_entry *class_find(const void *object) {
  const void *metadata = *(const void *const *)object;
  const class_entry *entry = find(metadata);
  return entry ? entry : find_above(superclass_of(metadata));
}

// A class that the runtime has made from a patched one has the hooks in its table, but no entry yet. Its superclass has one.
void *class_original(const void *object, uint32_t index) { return class_find(object)->originals[index]; }

// ---- Checks --------------------------------------------------------------------------------------------------------

static const class_metadata *operation_base, *queue_base;

static hooked_method *const *tables;
static void (*patch_imports)(bool on);

static hooked_method *methods_of(class_kind kind) { return tables[kind]; }

const hooked_method *class_methods(class_kind kind) { return tables[kind]; }

void classes_patch_imports_by(void (*patch)(bool on)) { patch_imports = patch; }

// The implementations in our own types. `is_known` also accepts Foundation's.
enum { known_classes = 3 };
typedef const void *known_methods[known_classes];
static known_methods known_readiness, known_starts, known_finishes, known_executions;

static bool is_known(const known_methods *known, uint32_t method, const void *function) {
  if (function == methods_of(class_operation)[method].real) return true;
  for (int i = 0; i < known_classes; i++)
    if ((*known)[i] == function) return true;
  return false;
}

// Finds each method in the base class's table. A method that occurs more than once cannot be used.
static const char *find_methods(const void *metadata, hooked_method *methods) {
  const class_metadata *m = metadata;
  size_t words = (m->class_size - m->class_address) / sizeof(void *);
  void *const *table = metadata;
  for (hooked_method *method = methods; method->symbol; method++) {
    method->real = method->address = foundation_find(method->symbol);
    if (!method->real) return "this Foundation lacks a method that OpTrace hooks";
    method->offset = 0;
    if (method == &methods[method_destroy]) {
      if (*entry_address(metadata, method) != method->address) return "the metadata of this Foundation's classes looks different";
      continue;
    }
    for (size_t i = sizeof *m / sizeof(void *); i < words; i++) {
      if (table[i] != method->address) continue;
      if (method->offset)
        return book_is_static() ? "the linker has folded methods that have the same code, as --icf=all does"
                                : "a method appears twice in a method table";
      method->offset = (uint32_t)(i * sizeof(void *));
    }
    if (!method->offset) return "a method is missing in a method table";
  }
  return NULL;
}

static void learn(known_methods *known, const hooked_method *method) {
  // A recorder without a Swift part has no types of its own.
  const void *const traced[known_classes] = {
    readers.traced_operation, readers.traced_block_operation, readers.traced_async_operation};
  for (int i = 0; i < known_classes; i++)
    if (traced[i]) (*known)[i] = *entry_address(traced[i], method);
}

const char *classes_resolve(hooked_method *const methods[class_kinds]) {
  tables = methods;
  hooked_method *operation_methods = methods_of(class_operation), *queue_methods = methods_of(class_queue);
  if (!foundation_is_there()) return "Foundation is not in this process";
  operation_base = foundation_find("$s10Foundation9OperationCN");
  queue_base = foundation_find("$s10Foundation14OperationQueueCN");
  const void *object_base = foundation_find("$s10Foundation8NSObjectCN");
  if (!operation_base || !queue_base || !object_base) return "this Foundation has no Operation class with a known name";
  if (!is_class(operation_base, object_base) || !is_class(queue_base, object_base))
    return "the metadata of this Foundation's classes looks different";
  const char *why = layout_misfit();
  if (!why) why = find_methods(operation_base, operation_methods);
  if (!why) why = find_methods(queue_base, queue_methods);
  if (why) return why;
  // Foundation passes dependencies and added operations in arrays.
  why = arrays_prove(&readers, operation_methods);
  if (why) return why;
  own_fields_find(operation_base, (method)operation_methods[method_start].real, &readers);
  learn(&known_readiness, &operation_methods[method_is_ready]);
  learn(&known_starts, &operation_methods[method_start]);
  learn(&known_finishes, &operation_methods[method_is_finished]);
  learn(&known_executions, &operation_methods[method_is_executing]);
  return NULL;
}

bool optrace_object_runs_itself(const void *object) {
  const class_entry *entry = find(*(const void *const *)object);
  return entry && entry->runs_itself;
}

uint32_t class_facts_of(const void *metadata) {
  const class_entry *entry = class_know(metadata, class_operation);
  if (!entry) return optrace_class_answers_itself;
  return (entry->readies_itself ? optrace_class_readies_itself : 0u) | (entry->executes_itself ? optrace_class_executes_itself : 0u) |
         (entry->runs_itself && !entry->records_itself ? optrace_class_runs_itself : 0u) |
         (entry->answers_itself ? optrace_class_answers_itself : 0u) |
         (entry->runs_alone ? optrace_class_run_is_hooked : 0u);
}

// ---- Patching ------------------------------------------------------------------------------------------------------

static bool descends(const void *metadata, const void *base) {
  for (; metadata; metadata = superclass_of(metadata))
    if (metadata == base) return true;
  return false;
}

static bool is_to_be_patched(const class_entry *entry) {
  return !entry->records_itself || entry->readies_itself || entry->runs_alone;
}

// For a class that records itself, only what the program has overridden is hooked: `isReady`, because its final answer counts and not
// what it gets from `super`; and `start()` together with `isFinished`, because they may never call ours.
static bool is_hooked(const class_entry *entry, const hooked_method *methods, uint32_t i) {
  if (entry->records_itself) {
    if (i == method_is_ready) return entry->readies_itself;
    return entry->runs_alone &&
           (i == method_start || i == method_is_finished || i == method_is_executing || i == method_main);
  }
  return methods[i].hook && (methods[i].overridden || entry->originals[i] == methods[i].real);
}

// The caller holds `change`.
static bool patch(class_entry *entry, bool on) {
  const hooked_method *methods = methods_of(entry->kind);
  // Open only the part with the methods. The size of the class cannot be read here, because its library may have been unloaded.
  const class_metadata *base = entry->kind == class_queue ? queue_base : operation_base;
  memory_window window;
  if (!memory_open((const uint8_t *)entry->metadata - destroy_offset, base->class_size, &window)) return false;
  if (!on && entry->in_object && !window.in_object) return false;  // It was unloaded with its library.
  entry->in_object = window.in_object;
  for (uint32_t i = 0; methods[i].symbol; i++) {
    if (!is_hooked(entry, methods, i)) continue;
    void *_Atomic *at = entry_address(entry->metadata, &methods[i]);
    // Tables contain the address of Foundation's method itself, even if that is hooked at its entry and `real` is another address.
    void *original = entry->originals[i] == methods[i].real ? methods[i].address : entry->originals[i];
    void *expected = on ? original : methods[i].hook;
    // If somebody else has changed the entry, leave it as it is.
    atomic_compare_exchange_strong(at, &expected, on ? methods[i].hook : original);
  }
  memory_close(&window);
  entry->patched = on;
  return true;
}

// The caller holds `change`.
static class_entry *add(const void *metadata, class_kind kind, bool records_itself) {
  if (class_count >= class_slots / 2) return NULL;
  const hooked_method *methods = methods_of(kind);
  const class_metadata *m = metadata;
  class_entry *entry = calloc(1, sizeof *entry);
  if (!entry) return NULL;
  entry->metadata = metadata;
  entry->kind = kind;
  entry->records_itself = records_itself;
  const class_entry *above = NULL;
  for (const void *s = m->superclass; s && !above; s = superclass_of(s)) above = find(s);
  for (uint32_t i = 0; methods[i].symbol; i++) {
    entry->originals[i] = atomic_load_explicit(entry_address(metadata, &methods[i]), memory_order_relaxed);
    if (entry->originals[i] == methods[i].hook) entry->originals[i] = above ? above->originals[i] : methods[i].real;
    if (entry->originals[i] == methods[i].address) entry->originals[i] = methods[i].real;
    if (methods[i].describes && entry->originals[i] != methods[i].real) entry->answers_itself = true;
  }
  if (kind == class_operation) {
    entry->finishes_itself = entry->originals[method_is_finished] != methods[method_is_finished].real;
    entry->starts_itself = entry->originals[method_start] != methods[method_start].real;
    entry->runs_itself = entry->finishes_itself && entry->starts_itself;
    entry->readies_itself = !is_known(&known_readiness, method_is_ready, entry->originals[method_is_ready]);
    entry->executes_itself = !is_known(&known_executions, method_is_executing, entry->originals[method_is_executing]);
    entry->runs_alone = records_itself && !is_known(&known_starts, method_start, entry->originals[method_start]) &&
                        !is_known(&known_finishes, method_is_finished, entry->originals[method_is_finished]);
  }
  class_count += 1;
  uint32_t slot = slot_of(metadata);
  while (atomic_load_explicit(&classes[slot], memory_order_relaxed)) slot = (slot + 1) % class_slots;
  atomic_store_explicit(&classes[slot], entry, memory_order_release);
  return entry;
}

const class_entry *class_know(const void *metadata, class_kind kind) {
  class_entry *entry = find(metadata);
  if (entry && (entry->patched || !is_to_be_patched(entry))) return entry;
  bool fits = is_class(metadata, NULL) && descends(metadata, kind == class_queue ? queue_base : operation_base);
  // Before the lock is taken, because Swift's runtime takes its own locks.
  bool records_itself = !entry && fits && readers.records_itself && readers.records_itself(metadata);
  own_lock(&change);
  entry = find(metadata);
  if (!entry && fits) {
    entry = add(metadata, kind, records_itself);
    // A new class may belong to a library that was loaded after the hooks were installed.
    if (entry && hooks_active()) patch_imports(true);
  }
  if (entry && is_to_be_patched(entry) && !entry->patched && hooks_active() && !patch(entry, true)) entry = NULL;
  pthread_mutex_unlock(&change);
  return entry;
}

void classes_refresh(void) {
  if (!hooks_active()) return;
  // A library may be unloaded by a call that is not hooked.
  modules_refresh();
  own_lock(&change);
  if (hooks_active()) patch_imports(true);
  pthread_mutex_unlock(&change);
}

bool classes_patch(bool on) {
  if (on) {
    // Every class descends from one of these two, so `class_original` always finds something.
    if (!class_know(operation_base, class_operation) || !class_know(queue_base, class_queue)) return false;
    const void *block = foundation_find("$s10Foundation14BlockOperationCN");
    if (block) class_know(block, class_operation);
    return true;
  }
  own_lock(&change);
  patch_imports(false);
  for (uint32_t slot = 0; slot < class_slots; slot++) {
    class_entry *entry = atomic_load_explicit(&classes[slot], memory_order_relaxed);
    if (entry && entry->patched) {
      patch(entry, false);
      entry->patched = false;
    }
  }
  pthread_mutex_unlock(&change);
  return true;
}

bool class_exchange_methods(const void *metadata, const class_exchange *methods, size_t count) {
  enum { most = 8 };
  const class_metadata *m = metadata;
  if (count > most || !is_class(metadata, NULL)) return false;
  size_t words = (m->class_size - m->class_address) / sizeof(void *);
  void *_Atomic *table = (void *_Atomic *)(uintptr_t)metadata;
  size_t indexes[most] = {0};
  for (size_t method = 0; method < count; method++) {
    for (size_t i = sizeof *m / sizeof(void *); i < words; i++) {
      if (atomic_load_explicit(&table[i], memory_order_relaxed) != methods[method].real) continue;
      if (indexes[method]) return false;
      indexes[method] = i;
    }
    if (!indexes[method]) return false;
  }
  memory_window window;
  if (!memory_open(metadata, words * sizeof(void *), &window)) return false;
  for (size_t method = 0; method < count; method++)
    atomic_store_explicit(&table[indexes[method]], methods[method].hook, memory_order_release);
  memory_close(&window);
  return true;
}
#endif
