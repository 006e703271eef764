// The numbers of tasks, by the runtime's own ids. A task has a slot from its first record until it is over.
#ifndef OPTRACE_TASK_TABLE_H
#define OPTRACE_TASK_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  _Atomic uint64_t key;    // The id's lower half, and the number. 0: free.
  _Atomic uint32_t state;  // Bits, see below.
} task_slot;

enum {
  task_is_described = 1,  // Its first record is written, or about to be.
  task_is_over = 2,       // Kept for the thread that is about to describe it.
  task_is_named = 4,      // Its name was asked for.
  task_is_cancelled = 8,  // Its cancellation has been recorded.
};
// The number of a task that is not the program's.
enum { task_not_ours = UINT32_MAX };

// False: there is no memory that is wiped in a forked child.
bool task_table_prepare(void);
// Forgets all tasks: numbers of another recorder are not valid in this one.
void task_table_clear(void);
// Null: it has no slot. Takes no lock.
task_slot *task_find(uint64_t id);
// Adds a task at first sight. If another thread was faster, its number stays. Null: there is no room near its slot.
task_slot *task_add(uint64_t id, uint32_t number);
void task_remove(task_slot *slot);
static inline uint32_t task_number(const task_slot *slot) {
  return (uint32_t)atomic_load_explicit(&slot->key, memory_order_acquire);
}
// Sets bits of the state; true for the one caller that has set them.
static inline bool task_set(task_slot *slot, uint32_t state) {
  if (atomic_load_explicit(&slot->state, memory_order_relaxed) & state) return false;
  return !(atomic_fetch_or_explicit(&slot->state, state, memory_order_acq_rel) & state);
}

#endif
