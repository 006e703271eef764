// The current frame of a thread.
#ifndef COPTRACE_HERE_H
#define COPTRACE_HERE_H

#include <stdint.h>

// Where a stack walk begins. `pc` 0: nothing is known. Only `bp` 0: only that register is not known.
typedef struct {
  uint64_t pc, sp, bp;
} optrace_start;

// The frame of the calling function; takes less than a nanosecond. The result is valid until that function returns. Always inlined, also
// into Swift's functions, because it must describe the caller's frame and not its own.
static inline __attribute__((always_inline)) optrace_start optrace_here(void) {
  optrace_start here = {0, 0, 0};
#if defined(__linux__) && defined(__x86_64__)
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp));
#elif defined(__linux__) && defined(__aarch64__)
  // Clobbers x30 like a call, so that the function saves its return address on the stack, where a walk finds it.
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp) : : "x30");
#endif
  return here;
}

// The return address of the calling function, as a walk from there would find it.
static inline __attribute__((always_inline)) uint64_t optrace_caller(void) {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  return (uint64_t)(uintptr_t)__builtin_return_address(0);
#else
  return 0;
#endif
}

#endif
