// Who has called: a walk over a stack, of this thread or a copied one, by unwind rules.
#ifndef OPTRACE_UNWIND_H
#define OPTRACE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/COpTraceHere.h"
#include "rules.h"
#include "supported.h"

// Where a walk begins; `stack_here()` is this place.
typedef optrace_start stack_start;
#define stack_here optrace_here

// What a walk may read.
typedef struct {
  uint64_t low, high;    // Addresses of the stack …
  const uint8_t *bytes;  // … and where the byte of address `low` stands: there, or in a copy.
  bool beyond;           // What lies outside is looked for by `peek`; else it is not there.
  bool foreign;          // The stack of another thread, which goes on: nothing holds the modules that it names.
} stack_memory;

// Stores the place itself, then the return addresses, innermost first; returns how many, at most `most`. `guessed`:
// the first one that was found without a rule; the number of all when there is none. No lock, no memory, no system
// call but where a rule is missing (or `foreign`, or `beyond`). About 10 ns a frame; a new rule about a microsecond,
// or 15 when `foreign`.
size_t stack_walk(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed);
// The same for the calling thread, on whatever stack it is.
size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed);

// The place that the function of `start` returns to, on the calling thread. `returns`: `start` is such a place
// itself. pc 0: there is no rule.
stack_start stack_outside(const stack_start *start, bool returns);

// The rule at an address: of the next instruction where one was interrupted, of the byte before a return address.
// `careful`: the module may be unloaded meanwhile.
unwind_rule unwind_rule_at(uint64_t address, bool careful);

#endif
