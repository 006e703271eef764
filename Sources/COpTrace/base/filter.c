#include "filter.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "COpTrace.h"
#include "small_file.h"

static _Atomic int filters;  // How many were installed since the recorder began.
static _Atomic int inside;   // How many threads are in a call that a filter may forbid.

bool system_is_filtered(void) { return atomic_load_explicit(&filters, memory_order_relaxed) > 0; }

bool system_call_begins(void) {
  if (system_is_filtered()) return false;
  // Count first, then look again: whoever installs a filter does the same in the opposite order.
  atomic_fetch_add(&inside, 1);
  if (atomic_load(&filters) <= 0) return true;
  atomic_fetch_sub(&inside, 1);
  return false;
}

void system_call_ends(void) { atomic_fetch_sub(&inside, 1); }

void system_filter_comes(void) {
  enum { ten_seconds = 10 };
  // Later filters only forbid more, and perhaps the call that waits here.
  if (atomic_fetch_add(&filters, 1) > 0) return;
  uint64_t until = optrace_clock_monotonic() + ten_seconds * 1000000000ull;
  while (atomic_load(&inside) > 0 && optrace_clock_monotonic() < until) sched_yield();
}

void system_yield(void) {
  if (!system_call_begins()) return;
  sched_yield();
  system_call_ends();
}

void system_filter_failed(void) { atomic_fetch_sub(&filters, 1); }

#if defined(__linux__)

// The number after `name` at the beginning of a line; -1: there is none.
static long number_after(const char *text, const char *name) {
  const char *at = strstr(text, name);
  return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

// Since Linux 5.9 the number of filters, before that only whether there are any. Negative: it is not known.
static long count_filters(void) {
  char text[4096];
  if (!small_file_read("/proc/self/status", text, sizeof text)) return -1;
  long filtered = number_after(text, "\nSeccomp_filters:");
  return filtered >= 0 ? filtered : number_after(text, "\nSeccomp:");
}

static _Atomic long first = -1;

bool system_began_filtered(void) { return atomic_load(&first) > 0; }

void system_filter_look(void) {
  if (system_is_filtered()) return;
  int error = errno;
  long now = count_filters(), none = -1;
  errno = error;
  if (now < 0 || atomic_compare_exchange_strong(&first, &none, now)) return;
  if (now > none) atomic_fetch_add(&filters, 1);
}

#else

bool system_began_filtered(void) { return false; }
void system_filter_look(void) {}

#endif
