// Reads instructions, for a stack walk that lacks an unwind rule or a register. Not compiled if OPTRACE_STACKS is 0.
#ifndef OPTRACE_INSTRUCTIONS_H
#define OPTRACE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

// Whether the instruction before this address is a call. `target`: the address that it calls; 0: the instruction does not contain it.
bool is_behind_call(uint64_t address, uint64_t *target);
// Whether a call of `target` reaches `function`: it is the same address, or an entry of the linkage table (PLT) that jumps there.
bool leads_to(uint64_t target, uint64_t function);
// The distance from sp up to bp after the usual prologue: it saves bp, sets bp to sp, saves other registers and reserves room for locals.
// Only on x86-64. False: the function has another prologue, or has not completed it at `address`.
bool frame_below_bp(uint64_t function, uint64_t address, uint64_t *bytes);
// Whether this is the kernel's code that returns from a signal handler, on systems where it has no unwind rule, and cannot have one,
// because the address in the interrupted function is in a register of its own.
bool leaves_signal(uint64_t pc);

#endif
