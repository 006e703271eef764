// Walks stacks by unwind rules: the calling thread's own stack, or a copy of another one.
#ifndef OPTRACE_UNWIND_H
#define OPTRACE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/COpTraceHere.h"
#include "rules.h"
#include "supported.h"

// Where a walk begins; `stack_here()` is the calling function.
typedef optrace_start stack_start;
#define stack_here optrace_here

// The memory that a walk may read.
typedef struct {
  uint64_t low, high;    // The address range of the stack …
  const uint8_t *bytes;  // … and a pointer to the byte at `low`: in the stack itself, or in a copy.
  bool beyond;           // Read addresses outside of this range with `peek`; else they count as unreadable.
  bool foreign;          // It is another thread's stack, so the modules may be unloaded meanwhile.
} stack_memory;

// Stores `pc` and then the return addresses, innermost first; returns how many, at most `most`. `guessed`: the index of the first address
// that was found without an unwind rule; equal to the result if there is none. Takes no lock and allocates nothing. Makes system calls
// only where a rule is missing (or for `foreign` and `beyond`). About 10 ns per frame; a rule that is not cached takes about a
// microsecond, or 15 with `foreign`.
size_t stack_walk(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed);
// The same. `is_whole`: the walk has reached the function that the thread began with. `sps`: null, or for each address the stack pointer
// there, so that a function's frame is from its own to the next one's.
size_t stack_walk_far(const stack_start *start, const stack_memory *memory, uint64_t *pcs, uint64_t *sps, size_t most,
                      size_t *guessed, bool *is_whole);
// The same for the calling thread, on whatever stack it is.
size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed);

// The caller's frame of the function of `start`, on the calling thread. `returns`: `start` is itself the result of such a call, so its pc
// is a return address. pc 0: there is no unwind rule.
stack_start stack_outside(const stack_start *start, bool returns);

// Where the function at an address begins, by its unwind rule; 0: not known.
uint64_t unwind_function_at(uint64_t address);

// The rule at an address: pass the address of the next instruction of an interrupted function, or the byte before a return address.
// `careful`: the module may be unloaded meanwhile.
unwind_rule unwind_rule_at(uint64_t address, bool careful);

#endif
