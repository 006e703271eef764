// Numbers of stacks in the trace. The number of a stack is that of its innermost frame.
#ifndef OPTRACE_STACK_IDS_H
#define OPTRACE_STACK_IDS_H

#include "../stacks/table.h"
#include "../stacks/unwind.h"
#include "../storage/recorder.h"

// Whether stacks are walked at all.
static inline bool stacks_wanted(optrace_recorder *recorder) {
  return atomic_load_explicit(&recorder->stacks, memory_order_acquire) != optrace_stacks_off;
}

// The number of a stack; 0: none. Takes a lock the first time, to describe the stack.
uint32_t stack_id_of(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed);
// The number of a function's code; 0: none.
uint32_t function_id(optrace_recorder *recorder, uint64_t function);
// The number of the stack that created an operation. `made`: the operation's field of that name. 0: not wanted, or not known.
uint32_t creation_stack_id(optrace_recorder *recorder, uint32_t made);
// The number of a stack that was put into a table earlier: it means what was loaded then. The table's values are the generations of modules,
// plus one; `generation`: the one up to which the table knows what was unloaded, at first 0. 0: there is none.
uint32_t stack_id_noted(optrace_recorder *recorder, stack_table *table, uint32_t number, _Atomic uint32_t *generation);
// The number of the calling thread's stack, from `start` outwards.
uint32_t stack_id_here(optrace_recorder *recorder, const stack_start *start);
// The same for another thread, which must not run meanwhile. `high`: the end of its stack.
uint32_t stack_id_of_thread(optrace_recorder *recorder, const stack_start *start, uint64_t high);

#endif
