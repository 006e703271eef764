#include "word.h"

#include <errno.h>
#include <time.h>

#if defined(__linux__)

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// Any program with threads uses this system call, so a filter allows it.
void word_wait(_Atomic uint32_t *word, uint32_t is, uint64_t nanoseconds) {
  int error = errno;
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, &time, NULL, 0);
  errno = error;
}

void word_wake(_Atomic uint32_t *word) {
  int error = errno;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  errno = error;
}

#else

void word_wait(_Atomic uint32_t *word, uint32_t is, uint64_t nanoseconds) {
  enum { a_millisecond = 1000000 };
  int error = errno;
  struct timespec time = {0, (long)(nanoseconds < a_millisecond ? nanoseconds : a_millisecond)};
  if (atomic_load(word) == is) nanosleep(&time, NULL);
  errno = error;
}

void word_wake(_Atomic uint32_t *word) { (void)word; }

#endif
