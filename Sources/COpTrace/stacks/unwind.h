// Who has called: a walk over a stack, of this thread or a copied one, by unwind rules.
#ifndef OPTRACE_UNWIND_H
#define OPTRACE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules.h"
#include "supported.h"

// Where a walk begins. `bp` 0: not known.
typedef struct {
  uint64_t pc, sp, bp;
} stack_start;

// This place. Costs less than a nanosecond. It can be walked from as long as the function that it stands in has not returned.
static inline __attribute__((always_inline)) stack_start stack_here(void) {
  stack_start here = {0, 0, 0};
#if OPTRACE_STACKS && defined(__x86_64__)
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp));
#elif OPTRACE_STACKS
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp));
#endif
  return here;
}

// What a walk may read.
typedef struct {
  uint64_t low, high;    // Addresses of the stack …
  const uint8_t *bytes;  // … and where the byte of address `low` stands: there, or in a copy.
  bool beyond;           // What lies outside is looked for by `peek`; else it is not there.
  bool foreign;          // The stack of another thread, which goes on: nothing holds the modules that it names.
} stack_memory;

// Stores the place itself, then the return addresses, innermost first; returns how many, at most `most`. `guessed`: the first
// one that was found without a rule; the number of all when there is none. No lock, no memory, no system call but where
// a rule is missing (or `foreign`, or `beyond`). About 10 ns a frame; a new rule about a microsecond, or 15 when `foreign`.
size_t stack_walk(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed);
// The same for the calling thread, on whatever stack it is.
size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed);

// The place that the function of `start` returns to, on the calling thread: for one whose caller is known to stay. pc 0: there is no
// rule.
stack_start stack_outside(const stack_start *start);

// The rule at an address: of the next instruction where one was interrupted, of the byte before a return address. `careful`: the
// module may be unloaded meanwhile.
unwind_rule unwind_rule_at(uint64_t address, bool careful);

#endif
