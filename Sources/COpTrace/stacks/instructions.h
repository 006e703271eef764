// What the instructions at an address tell a walk that has no rule. Where OPTRACE_STACKS is 0, there is none of this.
#ifndef OPTRACE_INSTRUCTIONS_H
#define OPTRACE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

// Whether a call stands before this address; `target`: whom it calls, 0 where that is not in the instruction.
bool is_behind_call(uint64_t address, uint64_t *target);
// Whether a call of `target` gets to `function`: it is that, or an entry of the linkage table that jumps there.
bool leads_to(uint64_t target, uint64_t function);
// Whether this is what the kernel lets a signal's handler return to, where that has no rule, and could have none: the interrupted
// function's place stands in a register of its own.
bool leaves_signal(uint64_t pc);

#endif
