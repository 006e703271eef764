// The numbers of tasks, by the runtime's own ids. A task has a place from its first sight until it is over.
#ifndef OPTRACE_TASK_TABLE_H
#define OPTRACE_TASK_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  _Atomic uint64_t key;    // The id's lower half, and below it the number. 0: free.
  _Atomic uint32_t state;  // See below.
} task_slot;

enum {
  task_is_described = 1,  // Its first record is written, or somebody is about to.
  task_is_over = 2,       // Kept for who is about to describe it.
  task_is_named = 4,      // Its name was asked for.
  task_is_cancelled = 8,  // That was told.
};
// Of a task that is not the program's.
enum { task_not_ours = UINT32_MAX };

// False: there is no memory that a forked child does not share.
bool task_table_prepare(void);
// Forgets all: numbers of another recorder are none of this one's.
void task_table_clear(void);
// Null: it has none. No lock.
task_slot *task_find(uint64_t id);
// A task at first sight; the number stays that of the first who adds it. Null: there is no room near its place.
task_slot *task_add(uint64_t id, uint32_t number);
void task_remove(task_slot *slot);
static inline uint32_t task_number(const task_slot *slot) {
  return (uint32_t)atomic_load_explicit(&slot->key, memory_order_acquire);
}
// Sets what is not set; true for exactly one of those who do.
static inline bool task_set(task_slot *slot, uint32_t state) {
  if (atomic_load_explicit(&slot->state, memory_order_relaxed) & state) return false;
  return !(atomic_fetch_or_explicit(&slot->state, state, memory_order_acq_rel) & state);
}

#endif
