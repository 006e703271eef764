// Compiled twice, with another name for WORK: two libraries with the same layout.
#include <stdint.h>
#include <time.h>

static volatile uint64_t burnt;

__attribute__((noinline)) static uint64_t time_used(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

__attribute__((noinline)) void WORK(uint64_t nanoseconds) {
  for (uint64_t end = time_used() + nanoseconds; time_used() < end;)
    for (int i = 0; i < 50000; i++) burnt = burnt * 31 + (uint64_t)i;
}

void plugin_run(uint64_t nanoseconds) {
  WORK(nanoseconds);
  burnt++;
}
