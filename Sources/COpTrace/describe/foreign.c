// Identifies operations by their addresses. A weak reference distinguishes an object from a later one at the same address.
#include "foreign.h"

#include <pthread.h>
#include <stdlib.h>

#include "../base/bits.h"
#include "../base/own_lock.h"
#include "../objects/readers.h"

enum { slot_bits = 10, slots = 1 << slot_bits, first_sweep = 1024 };

typedef struct entry {
  struct entry *next;
  const void *address;
  const optrace_recorder *core;
  void *reference;  // Weak.
  uint32_t serial;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The lock guards everything below.
static entry *table[slots];
static size_t entry_count, sweep_at = first_sweep;

// Objects that were retained while the table was searched. They are released after the lock has been released. If an object has no
// other owner by then, its `deinit`, which is the program's code, runs at that moment.
typedef struct {
  void **objects;
  size_t count, room;
} held;

// Makes room for one more object. False: memory is out, and the list is unchanged.
static bool make_room(held *list) {
  if (list->count < list->room) return true;
  size_t room = list->room ? list->room * 2 : 64;
  void **larger = realloc(list->objects, room * sizeof *larger);
  if (!larger) return false;
  list->objects = larger;
  list->room = room;
  return true;
}

static void hold(held *list, void *object) {
  if (object) list->objects[list->count++] = object;
}

static void let_go(held *list) {
  for (size_t i = 0; i < list->count; i++) readers.release(list->objects[i]);
  free(list->objects);
}

// Removes the entries of objects that have been freed.
static void sweep(held *list) {
  for (size_t i = 0; i < slots; i++)
    for (entry **link = &table[i]; *link && make_room(list);) {
      entry *one = *link;
      void *object = readers.weak_take(one->reference);
      hold(list, object);
      if (object) {
        link = &one->next;
        continue;
      }
      *link = one->next;
      readers.weak_free(one->reference);
      free(one);
      entry_count -= 1;
    }
  sweep_at = entry_count * 2 > first_sweep ? entry_count * 2 : first_sweep;
}

// Returns the entry of an operation; null: it has none. The caller holds the lock.
static entry *find(const optrace_recorder *core, const void *operation, held *list) {
  for (entry *one = table[hash_address(operation, slot_bits)]; one && make_room(list); one = one->next) {
    if (one->address != operation || one->core != core) continue;
    void *object = readers.weak_take(one->reference);
    hold(list, object);
    if (object == operation) return one;
  }
  return NULL;
}

// Adds an entry. False: memory is out; then the operation gets another number the next time. The caller holds the lock.
static bool add(const optrace_recorder *core, void *operation, uint32_t serial) {
  entry *one = malloc(sizeof *one);
  if (!one) return false;
  entry **slot = &table[hash_address(operation, slot_bits)];
  *one = (entry){.next = *slot, .address = operation, .core = core, .serial = serial, .reference = readers.weak_make(operation)};
  if (!one->reference) {
    free(one);
    return false;
  }
  *slot = one;
  entry_count += 1;
  return true;
}

uint32_t foreign_number(optrace_recorder *core, void *operation, bool *is_new) {
  *is_new = true;
  if (!readers.weak_make) return optrace_recorder_next_serial(core);
  held list = {0};
  own_lock(&lock);
  const entry *known = find(core, operation, &list);
  uint32_t serial = known ? known->serial : optrace_recorder_next_serial(core);
  *is_new = !known;
  if (!known && add(core, operation, serial) && entry_count > sweep_at) sweep(&list);
  pthread_mutex_unlock(&lock);
  let_go(&list);
  return serial;
}
