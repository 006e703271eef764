#include "CFloor.h"

#include <string.h>
#include <time.h>

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
#endif
}

void floor_store(uint8_t *bytes, size_t size, uint64_t count) {
  size_t offset = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t record[3] = {ticks(), i, size};
    memcpy(bytes + offset, record, sizeof record);
    // The store is the work: it may not be left out.
    __asm__ volatile("" : : "r"(bytes + offset) : "memory");
    offset += sizeof record;
    if (offset + sizeof record > size) offset = 0;
  }
}
