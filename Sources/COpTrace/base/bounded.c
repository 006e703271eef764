#include "bounded.h"
#include "own_lock.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "COpTrace.h"
#include "word.h"

void owned_lock_init(pthread_mutex_t *lock) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

// 0, EDEADLK if this thread holds it, or another error.
static int try_lock(pthread_mutex_t *lock) {
#if defined(__linux__)
  // Unlike a try, a wait that is over tells apart who holds it.
  const struct timespec past = {0, 0};
  return pthread_mutex_timedlock(lock, &past);
#else
  return own_trylock(lock);
#endif
}

bool owned_lock_until(pthread_mutex_t *lock, uint64_t until) {
  enum { a_millisecond = 1000000 };
  _Atomic uint32_t nobody = 0;
  for (int error; (error = try_lock(lock)) != 0; word_wait(&nobody, 0, a_millisecond))
    if (error == EDEADLK || optrace_clock_monotonic() >= until) return false;
  return true;
}
