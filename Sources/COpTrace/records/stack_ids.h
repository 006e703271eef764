// Where threads stand, as the trace has it: stacks to numbers of frames.
#ifndef OPTRACE_STACK_IDS_H
#define OPTRACE_STACK_IDS_H

#include "../stacks/unwind.h"
#include "../storage/recorder.h"

// Whether stacks are walked at all.
static inline bool stacks_wanted(optrace_recorder *recorder) {
  return atomic_load_explicit(&recorder->stacks, memory_order_acquire) != optrace_stacks_off;
}

// The number of a stack; 0: none. The first time it is described, which locks.
uint32_t stack_id_of(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed);
// What names a function's code: of the recorder's Swift part, which locks; once for each place.
void code_id_set_define(uint32_t (*define)(void *context, uint64_t function));
// The number of a function's code; 0: none.
uint32_t code_id(optrace_recorder *recorder, uint64_t function);
// The number of the stack that made an operation, as that keeps it (`optrace_operation.made`). 0: not wanted, or not known.
uint32_t creation_stack_id(optrace_recorder *recorder, uint32_t made);
// That of this thread, from there on.
uint32_t stack_id_here(optrace_recorder *recorder, const stack_start *start);
// That of another thread, which stands still there; `high`: the end of its stack.
uint32_t stack_id_of_thread(optrace_recorder *recorder, const stack_start *start, uint64_t high);

#endif
