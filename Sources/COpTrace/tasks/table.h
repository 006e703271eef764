// Maps the runtime's ids of tasks to numbers in the trace. A task has a slot from its first record until it is over.
#ifndef OPTRACE_TASK_TABLE_H
#define OPTRACE_TASK_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  _Atomic uint64_t key;    // The lower half of the id, and the number. 0: the slot is free.
  _Atomic uint32_t state;  // Bits, see below.
} task_slot;

enum {
  task_is_described = 1,  // Its first record is written, or about to be.
  task_is_over = 2,       // The slot is kept for the thread that is about to describe the task.
  task_is_named = 4,      // The runtime was asked for its name.
  task_is_cancelled = 8,  // Its cancellation has been recorded.
};
// The number of a task that does not belong to the program.
enum { task_not_ours = UINT32_MAX };

// False: memory that is wiped in a forked child is not available.
bool task_table_prepare(void);
// Forgets all tasks, because a recorder's numbers are not valid in another one.
void task_table_clear(void);
// Null: it has no slot. Takes no lock.
task_slot *task_find(uint64_t id);
// Adds a task that has no slot. If another thread has added it first, that thread's number stays. Null: there is no free slot near its
// place.
task_slot *task_add(uint64_t id, uint32_t number);
void task_remove(task_slot *slot);
static inline uint32_t task_number(const task_slot *slot) {
  return (uint32_t)atomic_load_explicit(&slot->key, memory_order_acquire);
}
// Sets bits of the state; true only for the caller that has set them first.
static inline bool task_set(task_slot *slot, uint32_t state) {
  if (atomic_load_explicit(&slot->state, memory_order_relaxed) & state) return false;
  return !(atomic_fetch_or_explicit(&slot->state, state, memory_order_acq_rel) & state);
}

#endif
