#include <string.h>

#include "COpTraceOthers.h"

#ifdef __linux__

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

// By numbers of calls, because the C library's type has room for 1,024 processors only.
bool optrace_processors_get(optrace_processors *out) {
  memset(out, 0, sizeof *out);
  return syscall(SYS_sched_getaffinity, 0l, sizeof out->bits, out->bits) > 0;
}

bool optrace_processors_set(const optrace_processors *processors) {
  return syscall(SYS_sched_setaffinity, 0l, sizeof processors->bits, processors->bits) == 0;
}

int32_t optrace_processors_own(void) { return sched_getcpu(); }

#else

bool optrace_processors_get(optrace_processors *out) {
  memset(out, 0, sizeof *out);
  return false;
}
bool optrace_processors_set(const optrace_processors *processors) { return (void)processors, false; }
int32_t optrace_processors_own(void) { return -1; }

#endif

optrace_processors optrace_processors_one(uint32_t number) {
  optrace_processors one = {{0}};
  if (number < optrace_most_processors) one.bits[number / 64] = 1ull << (number % 64);
  return one;
}

bool optrace_processors_has(const optrace_processors *processors, uint32_t number) {
  return number < optrace_most_processors && (processors->bits[number / 64] >> (number % 64) & 1);
}
