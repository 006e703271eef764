// Where a thread stands.
#ifndef COPTRACE_HERE_H
#define COPTRACE_HERE_H

#include <stdint.h>

// What a walk over the stack begins with. pc 0: not known; `bp` 0: that alone is not.
typedef struct {
  uint64_t pc, sp, bp;
} optrace_start;

// This place. Costs less than a nanosecond. It can be walked from as long as the function that it stands in has not returned: so it is
// inlined, into Swift's functions too.
static inline __attribute__((always_inline)) optrace_start optrace_here(void) {
  optrace_start here = {0, 0, 0};
#if defined(__linux__) && defined(__x86_64__)
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp));
#elif defined(__linux__) && defined(__aarch64__)
  // As if it were a call: so the function has saved its return address by then, where a walk finds it.
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.bp) : : "x30");
#endif
  return here;
}

// Where that function returns to, as a walk from there would find it.
static inline __attribute__((always_inline)) uint64_t optrace_caller(void) {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  return (uint64_t)(uintptr_t)__builtin_return_address(0);
#else
  return 0;
#endif
}

#endif
