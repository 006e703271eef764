// Each hook makes the original call, once and unchanged, and tells orders/ before it what is wanted, and behind it what is held.
//
// Swift's `Mutex` takes a free lock without a call, and is not heard. In a program that has the C library inside, nothing is.
#include "orders.h"

#include "../orders/orders.h"
#include "../orders/starts.h"
#include "../pauses/pauses.h"
#include "../stacks/peek.h"
#include "blocking.h"
#include "contended.h"
#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <errno.h>
#include <pthread.h>
#include <time.h>

enum {
  index_mutex_lock, index_mutex_trylock, index_mutex_timedlock, index_mutex_clocklock, index_mutex_unlock, index_mutex_init,
  index_mutex_destroy, index_rwlock_rdlock, index_rwlock_wrlock, index_rwlock_tryrdlock, index_rwlock_trywrlock,
  index_rwlock_timedrdlock, index_rwlock_timedwrlock, index_rwlock_clockrdlock, index_rwlock_clockwrlock, index_rwlock_unlock,
  index_rwlock_init, index_rwlock_destroy, index_cond_wait, index_cond_timedwait, index_cond_clockwait, index_create, index_join,
};

static inline ORDERED_BY_EXCHANGE void *real(uint32_t index) { return order_imports[index].real; }

static inline uint64_t address(const void *object) { return (uint64_t)(uintptr_t)object; }
// A thread that has ended with the lock leaves it to the next one.
static inline bool is_taken(int result) { return result == 0 || result == EOWNERDEAD; }

// Not inlined: the compiler then moves no part of it into a function of its own, from which the caller could not be told.
#define HOOK static __attribute__((noinline))

#define TAKE(hook, kind, how, parameters, call, pause)                                 \
  HOOK int hook parameters {                                                           \
    if (!orders_are_wanted()) return call;                                             \
    place at = place_here();                                                           \
    wish wanted = orders_want(address(lock), kind, how, at);                           \
    pause;                                                                             \
    int result = call;                                                                 \
    if (likely(is_taken(result))) orders_take(wanted, address(lock), kind, how, at);   \
    return result;                                                                     \
  }

// A call that may wait: as it is, and with pauses. `call` may use the parameters.
#define TAKES(name, kind, how, parameters, call)                                       \
  TAKE(hook_##name, kind, how, parameters, call, (void)0)                              \
  TAKE(pausing_##name, kind, how, parameters, call, pauses_before_taking(address(lock), kind, at))

// One that does not: it is told of only when it has taken the lock.
#define TRIES(name, kind, how)                                                         \
  HOOK int hook_##name(void *lock) { \
    int result = ((int (*)(void *))real(index_##name))(lock);                          \
    if (!is_taken(result) || !orders_are_wanted()) return result;                                              \
    place at = place_here();                                                           \
    wish wanted = orders_want(address(lock), kind, (how) | held_try, at);              \
    orders_take(wanted, address(lock), kind, (how) | held_try, at);                    \
    return result;                                                                     \
  }

#define TIMED(name) ((int (*)(void *, const struct timespec *))real(index_##name))(lock, until)
#define CLOCKED(name) ((int (*)(void *, clockid_t, const struct timespec *))real(index_##name))(lock, clock, until)
#define UNTIL (void *lock, const struct timespec *until)
#define UNTIL_BY_CLOCK (void *lock, clockid_t clock, const struct timespec *until)

// Inside of work and turns, waits for locks may be recorded.
#define PLAIN(name) (inside_is_likely() ? contended_##name(lock) : ((int (*)(void *))real(index_##name))(lock))
TAKES(mutex_lock, optrace_held_mutex, 0, (void *lock), PLAIN(mutex_lock))
TAKES(mutex_timedlock, optrace_held_mutex, held_timed, UNTIL, TIMED(mutex_timedlock))
TAKES(mutex_clocklock, optrace_held_mutex, held_timed, UNTIL_BY_CLOCK, CLOCKED(mutex_clocklock))
TAKES(rwlock_rdlock, optrace_held_rwlock, held_reader, (void *lock), PLAIN(rwlock_rdlock))
TAKES(rwlock_wrlock, optrace_held_rwlock, 0, (void *lock), PLAIN(rwlock_wrlock))
TAKES(rwlock_timedrdlock, optrace_held_rwlock, held_reader | held_timed, UNTIL, TIMED(rwlock_timedrdlock))
TAKES(rwlock_timedwrlock, optrace_held_rwlock, held_timed, UNTIL, TIMED(rwlock_timedwrlock))
TAKES(rwlock_clockrdlock, optrace_held_rwlock, held_reader | held_timed, UNTIL_BY_CLOCK, CLOCKED(rwlock_clockrdlock))
TAKES(rwlock_clockwrlock, optrace_held_rwlock, held_timed, UNTIL_BY_CLOCK, CLOCKED(rwlock_clockwrlock))
TRIES(mutex_trylock, optrace_held_mutex, 0)
TRIES(rwlock_tryrdlock, optrace_held_rwlock, held_reader)
TRIES(rwlock_trywrlock, optrace_held_rwlock, 0)

// Before the call: behind it another thread may have the lock, and may have destroyed it.
#define GIVES(name, kind)                                      \
  HOOK int hook_##name(void *lock) { \
    orders_give(address(lock), kind);                          \
    return ((int (*)(void *))real(index_##name))(lock);        \
  }
GIVES(mutex_unlock, optrace_held_mutex)
GIVES(rwlock_unlock, optrace_held_rwlock)

#define DESTROYS(name)                                         \
  HOOK int hook_##name(void *lock) { \
    orders_forget(address(lock));                              \
    return ((int (*)(void *))real(index_##name))(lock);        \
  }
DESTROYS(mutex_destroy)
DESTROYS(rwlock_destroy)

#define MAKES(name)                                                                       \
  HOOK int hook_##name(void *lock, const void *attributes) { \
    orders_forget(address(lock));                                                         \
    return ((int (*)(void *, const void *))real(index_##name))(lock, attributes);         \
  }
MAKES(mutex_init)
MAKES(rwlock_init)

// Meanwhile the lock is not held. The thread then takes it again, while it holds all else.
#define WAITS(name, how, parameters, call)                                                           \
  HOOK int hook_##name parameters { \
    place at = place_here();                                                                         \
    held_thing lock;                                                                                 \
    bool is_held = orders_suspend(address(mutex), optrace_held_mutex, &lock);                        \
    if (is_held) orders_want(address(condition), optrace_held_condition, how, at);                    \
    int result = call;                                                                               \
    if (is_held) orders_resume(&lock, at);                                                           \
    return result;                                                                                   \
  }
WAITS(cond_wait, 0, (void *condition, void *mutex), blocking_cond_wait(condition, mutex))
WAITS(cond_timedwait, held_timed, (void *condition, void *mutex, const struct timespec *until), blocking_cond_timedwait(condition, mutex, until))
WAITS(cond_clockwait, held_timed, (void *condition, void *mutex, clockid_t clock, const struct timespec *until),
      blocking_cond_clockwait(condition, mutex, clock, until))

// The thread itself is left as it is: it finds who has started it by its name, when it is in an order.
HOOK int hook_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = real(index_create);
  uint64_t began = starts_now();
  int result = create(thread, attributes, body, argument);
  if (result != 0 || !orders_are_wanted() || is_own_call) return result;
  // The new thread may have freed the memory that its name is in, or written something else there: then it is no thread's name.
  pthread_t made;
  int error = errno;
  if (peek_all(address(thread), &made, sizeof made)) start_is_made(made, began);
  errno = error;
  return result;
}

HOOK int hook_join(pthread_t thread, void **value) {
  int result = ((int (*)(pthread_t, void **))real(index_join))(thread, value);
  if (result == 0 && orders_are_wanted() && !is_own_call) start_is_joined(thread);
  return result;
}

void orders_pause(void) {
#define PAUSES(name) order_imports[index_##name].hook = pausing_##name
  PAUSES(mutex_lock), PAUSES(mutex_timedlock), PAUSES(mutex_clocklock), PAUSES(rwlock_rdlock), PAUSES(rwlock_wrlock);
  PAUSES(rwlock_timedrdlock), PAUSES(rwlock_timedwrlock), PAUSES(rwlock_clockrdlock), PAUSES(rwlock_clockwrlock);
}

#define LOCK(name) [index_##name] = {"pthread_" #name, hook_##name}

hooked_import order_imports[] = {
  LOCK(mutex_lock), LOCK(mutex_trylock), LOCK(mutex_timedlock), LOCK(mutex_clocklock), LOCK(mutex_unlock), LOCK(mutex_init),
  LOCK(mutex_destroy), LOCK(rwlock_rdlock), LOCK(rwlock_wrlock), LOCK(rwlock_tryrdlock), LOCK(rwlock_trywrlock),
  LOCK(rwlock_timedrdlock), LOCK(rwlock_timedwrlock), LOCK(rwlock_clockrdlock), LOCK(rwlock_clockwrlock), LOCK(rwlock_unlock),
  LOCK(rwlock_init), LOCK(rwlock_destroy), LOCK(cond_wait), LOCK(cond_timedwait), LOCK(cond_clockwait), LOCK(create), LOCK(join), {0},
};
#endif
