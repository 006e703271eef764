// The systems on which stacks are walked, and the numbers of the registers that matter (System V ABI, DWARF).
#ifndef OPTRACE_STACKS_SUPPORTED_H
#define OPTRACE_STACKS_SUPPORTED_H

// On other systems every function of this folder exists, and does nothing.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define OPTRACE_STACKS 1
#else
#define OPTRACE_STACKS 0
#endif

#if defined(__aarch64__)
enum { register_bp = 29, register_ra = 30, register_sp = 31, register_pc = -1 };
#else
enum { register_bp = 6, register_sp = 7, register_ra = 16, register_pc = 16 };
#endif
// Whether calls leave the return address in a register, so that functions which make no calls need not save it.
enum { has_register_ra = register_ra != register_pc };

#endif
