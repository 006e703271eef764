// Stack walks by unwind rules, over this thread's stack or a copied one.
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

// What a walk may read.
typedef struct {
  uint64_t low, high;    // Addresses of the stack …
  const uint8_t *bytes;  // … and the byte of address `low`: there, or in a copy.
  bool beyond;           // Read other addresses by `peek`; else they do not exist.
  bool foreign;          // Another thread's stack: its modules may be unloaded meanwhile.
} stack_memory;

// Stores `pc` and then the return addresses, innermost first; returns how many, at most `most`. `guessed`: the index of the first
// one that was found without a rule; the number of all if there is none. Takes no lock and no memory; makes system calls only
// where a rule is missing (or for `foreign` and `beyond`). About 10 ns per frame; a new rule takes about a microsecond, or 15
// with `foreign`.
size_t stack_walk(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed);
// `is_whole`: the walk came to where the thread begins.
size_t stack_walk_far(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed,
                      bool *is_whole);
// The same for the calling thread, on whatever stack it is.
size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed);

// The frame that the function of `start` returns to, on the calling thread. `returns`: `start` is itself such a frame. pc 0:
// there is no rule.
stack_start stack_outside(const stack_start *start, bool returns);

// The rule at an address: of the next instruction in an interrupted function, of the byte before a return address. `careful`: the
// module may be unloaded meanwhile.
unwind_rule unwind_rule_at(uint64_t address, bool careful);

#endif
