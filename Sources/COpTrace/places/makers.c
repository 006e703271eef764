// Who makes operations. They are made before they meet a recorder, or know which one it will be: until then each keeps the number
// of its maker's stack in a table of the process.
#include "../operations/operation.h"
#include "../stacks/table.h"
#include "places.h"

enum { stacks = 16384, bytes = 4 << 20, deepest = 128 };

uint32_t optrace_makers_wanted;
static stack_table *_Atomic makers;

void makers_want(void) {
  if (!atomic_load_explicit(&makers, memory_order_acquire)) {
    stack_table *none = NULL, *made = stack_table_create(stacks, bytes);
    if (!made) return;
    // It stays for as long as the process: operations may have numbers of it.
    if (!atomic_compare_exchange_strong(&makers, &none, made)) stack_table_destroy(made);
  }
  __atomic_store_n(&optrace_makers_wanted, 1, __ATOMIC_RELEASE);
}

void optrace_operation_made(optrace_operation *operation, optrace_start here) {
  stack_table *table = atomic_load_explicit(&makers, memory_order_acquire);
  if (!operation || operation->made || !table || !here.pc) return;
  stack_start outside = stack_outside(&here, false);
  if (!outside.pc) return;
  uint64_t addresses[deepest];
  bool is_new;
  size_t guessed, count = stack_walk_here(&outside, addresses, deepest, &guessed);
  operation->made = stack_table_add(table, addresses, count, guessed, &is_new);
}

uint32_t maker_place(optrace_recorder *recorder, uint32_t made) {
  if (atomic_load_explicit(&recorder->stacks, memory_order_acquire) != optrace_stacks_all) return 0;
  size_t count, guessed;
  const uint64_t *addresses = stack_table_get(atomic_load_explicit(&makers, memory_order_acquire), made, &count, &guessed);
  return addresses ? place_outside_of_us(recorder, addresses, count, guessed) : 0;
}
