// Clocks. Reading the processor's counter costs less than reading the system's clock. If the counter does not run evenly on all
// cores, the monotonic clock is used instead.
#include "clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

#if defined(__APPLE__)
// This clock stops while the machine sleeps, and so does the counter.
uint64_t optrace_clock_monotonic(void) { return nanoseconds(CLOCK_UPTIME_RAW); }
#else
uint64_t optrace_clock_monotonic(void) { return nanoseconds(CLOCK_MONOTONIC); }
#endif
uint64_t optrace_clock_wall(void) { return nanoseconds(CLOCK_REALTIME); }

#if defined(__linux__)
// The kernel monitors the counter. If the kernel no longer trusts the counter, it is not used here either.
static bool kernel_distrusts_counter(void) {
  static const char *const distrust[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
  char name[32] = {0};
  int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, name, sizeof name - 1);
  close(file);
  if (count <= 0) return false;
  name[strcspn(name, "\n")] = 0;
  for (size_t i = 0; i < sizeof distrust / sizeof *distrust; i++)
    if (strcmp(name, distrust[i]) == 0) return true;
  return false;
}
#else
static bool kernel_distrusts_counter(void) { return false; }
#endif

static bool detect_counter(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
  return !kernel_distrusts_counter();
#elif defined(__aarch64__)
  return !kernel_distrusts_counter();
#else
  return false;
#endif
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool has_counter;
static uint64_t frequency = 1000000000;

static void prepare(void) {
  if (!detect_counter()) return;
#if defined(__aarch64__)
  uint64_t reported;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(reported));
  if (!reported) return;  // The firmware has to set this register, and some does not.
  frequency = reported;
#else
  // 200 us are enough for an estimate; the trace's own calibration pairs are exact.
  uint64_t clock0 = optrace_clock_monotonic(), ticks0 = optrace_counter();
  uint64_t clock1, ticks1;
  do {
    clock1 = optrace_clock_monotonic();
    ticks1 = optrace_counter();
  } while (clock1 - clock0 < 200000);
  frequency = (uint64_t)((double)(ticks1 - ticks0) * 1e9 / (double)(clock1 - clock0));
#endif
  atomic_store_explicit(&has_counter, true, memory_order_release);
}

bool optrace_clock_has_counter(void) {
  pthread_once(&once, prepare);
  return has_counter;
}

uint64_t optrace_clock_frequency(void) {
  pthread_once(&once, prepare);
  return frequency;
}

uint64_t optrace_clock_ticks(void) {
  if (atomic_load_explicit(&has_counter, memory_order_relaxed)) return optrace_counter();
  return optrace_clock_has_counter() ? optrace_counter() : optrace_clock_monotonic();
}
