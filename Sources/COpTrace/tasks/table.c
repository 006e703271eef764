// A hash table by task id. Ids are consecutive, so the id itself is the index, and tasks that were created together are neighbours.
#include "table.h"

#include <stddef.h>

#include "../base/bits.h"
#include "../base/wiped.h"

// How many tasks may exist at once. Only pages that are used take memory.
enum { slots = 1 << 21, farthest = 16 };

static task_slot *_Atomic table;

bool task_table_prepare(void) {
  if (atomic_load_explicit(&table, memory_order_acquire)) return true;
  task_slot *none = NULL, *made = wiped_pages(slots * sizeof(task_slot));
  if (!made) return false;
  if (!atomic_compare_exchange_strong(&table, &none, made)) wiped_pages_free(made, slots * sizeof(task_slot));
  return true;
}

void task_table_clear(void) {
  task_slot *all = atomic_load_explicit(&table, memory_order_acquire);
  for (size_t i = 0; all && i < slots; i++) {
    // Only read here: that does not allocate a page that was never used.
    if (!atomic_load_explicit(&all[i].key, memory_order_relaxed)) continue;
    task_remove(&all[i]);
  }
}

task_slot *task_find(uint64_t id) {
  task_slot *all = atomic_load_explicit(&table, memory_order_acquire);
  for (uint32_t i = 0; all && i < farthest; i++) {
    task_slot *slot = &all[(id + i) % slots];
    uint64_t key = atomic_load_explicit(&slot->key, memory_order_acquire);
    if (key && pair_high(key) == (uint32_t)id) return slot;
  }
  return NULL;
}

static bool is_left(const task_slot *slot) {
  return (atomic_load_explicit(&slot->state, memory_order_relaxed) & (task_is_over | task_is_described)) == task_is_over;
}

task_slot *task_add(uint64_t id, uint32_t number) {
  task_slot *all = atomic_load_explicit(&table, memory_order_acquire);
  // First look for a free slot, then for one whose task was over before anybody described it.
  for (int pass = 0; all && pass < 2; pass++)
    for (uint32_t i = 0; i < farthest; i++) {
      task_slot *slot = &all[(id + i) % slots];
      uint64_t key = atomic_load_explicit(&slot->key, memory_order_acquire);
      if (key && pair_high(key) == (uint32_t)id) return slot;
      if (key && (pass == 0 || !is_left(slot))) continue;
      if (!atomic_compare_exchange_strong_explicit(&slot->key, &key, pair_of((uint32_t)id, number), memory_order_acq_rel,
                                                   memory_order_acquire)) {
        if (pair_high(key) == (uint32_t)id) return slot;
        continue;
      }
      if (pass) atomic_store_explicit(&slot->state, 0, memory_order_release);
      return slot;
    }
  return NULL;
}

void task_remove(task_slot *slot) {
  atomic_store_explicit(&slot->state, 0, memory_order_relaxed);
  atomic_store_explicit(&slot->key, 0, memory_order_release);
}
