// The current frame of a thread.
#ifndef COPTRACE_HERE_H
#define COPTRACE_HERE_H

#include <stdint.h>

// Where a stack walk begins. pc 0: not known; only `bp` 0: that one is not.
typedef struct {
  uint64_t pc, sp, bp;
} optrace_start;

// The calling function's frame, in less than a nanosecond. A walk may begin there until that function returns, so this is always
// inlined, into Swift's functions too.
static inline __attribute__((always_inline)) optrace_start optrace_here(void) {
  optrace_start here = {0, 0, 0};
#if defined(__linux__) && defined(__x86_64__)
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp));
#elif defined(__linux__) && defined(__aarch64__)
  // Declared as a call, so that the function has saved its return address, where a walk finds it.
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
