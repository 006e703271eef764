// What the instructions at an address tell a walk that lacks a rule or a register. Not compiled where OPTRACE_STACKS is 0.
#ifndef OPTRACE_INSTRUCTIONS_H
#define OPTRACE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

// Whether the instruction before this address is a call. `target`: what it calls; 0: the instruction does not say.
bool is_behind_call(uint64_t address, uint64_t *target);
// Whether a call of `target` reaches `function`: it is that function, or an entry of the linkage table that jumps to it.
bool leads_to(uint64_t target, uint64_t function);
// How far a function that makes the usual frame (it saves bp, lets bp point there, saves other registers, takes room for what is its
// own) has sp below bp then. Known on x86-64. False: it begins in another way, or has not done so at `address`.
bool frame_below_bp(uint64_t function, uint64_t address, uint64_t *bytes);
// Whether this is the kernel's return from a signal handler, on systems where that has no rule and cannot have one: the
// interrupted function's address is in a register of its own.
bool leaves_signal(uint64_t pc);

#endif
