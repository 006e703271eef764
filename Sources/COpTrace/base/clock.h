// Reads the processor's counter. Only for callers that know that the recorder uses it.
#ifndef OPTRACE_CLOCK_H
#define OPTRACE_CLOCK_H

#include "COpTrace.h"

static inline uint64_t optrace_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return optrace_clock_monotonic();
#endif
}

#endif
