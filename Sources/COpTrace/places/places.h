// Where threads stand, as the trace has it: stacks to numbers of frames.
#ifndef OPTRACE_PLACES_H
#define OPTRACE_PLACES_H

#include "../stacks/unwind.h"
#include "../storage/recorder.h"

// Whether stacks are walked at all.
static inline bool places_wanted(optrace_recorder *recorder) {
  return atomic_load_explicit(&recorder->stacks, memory_order_acquire) != optrace_stacks_off;
}

// The number of a stack; 0: none. The first time it is described, which locks.
uint32_t place_of(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed);
// What names a function's code: of the recorder's Swift part, which locks; once for each place.
void places_name_code(uint32_t (*define)(void *context, uint64_t function));
// The number of a function's code; 0: none.
uint32_t place_of_code(optrace_recorder *recorder, uint64_t function);
// The number of the stack that made an operation, as that keeps it (`optrace_operation.made`). 0: not wanted, or not known.
uint32_t maker_place(optrace_recorder *recorder, uint32_t made);
// That of this thread, from there on.
uint32_t place_here(optrace_recorder *recorder, const stack_start *start);
// That of another thread, which stands still there; `high`: the end of its stack.
uint32_t place_there(optrace_recorder *recorder, const stack_start *start, uint64_t high);

#endif
