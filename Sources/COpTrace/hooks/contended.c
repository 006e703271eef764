// Inside work and turns, each call tries the lock first: if it is free, that is all, and costs what the call costs. Only a lock that is held
// is waited for with a note of who has it. The same thread may have it, and the call then says so or hangs, as it would by itself.
#include "contended.h"

#include "../base/own_call.h"
#include "../book/book.h"
#include "../stacks/locks.h"
#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

enum { index_mutex_lock, index_rwlock_rdlock, index_rwlock_wrlock };

typedef int (*take)(void *lock);

static ORDERED_BY_EXCHANGE take real(uint32_t index) { return (take)contended_imports[index].real; }
// Calls that return EBUSY instead of waiting. Null: not found, so nothing is recorded.
static take tries[3];

void contended_prepare(void) {
  locks_prepare();
  tries[index_mutex_lock] = (take)book_find("pthread_mutex_trylock");
  tries[index_rwlock_rdlock] = (take)book_find("pthread_rwlock_tryrdlock");
  tries[index_rwlock_wrlock] = (take)book_find("pthread_rwlock_trywrlock");
}

static __attribute__((noinline)) int wait_for(uint32_t index, void *lock, uint8_t kind, uint32_t owner, stack_start start) {
  thread_buffer *wait = inside_begin(waited_object(lock, kind), start);
  if (wait) wait_note_detail(wait, owner);
  int result = real(index)(lock);
  inside_end(wait);
  return result;
}

static inline __attribute__((always_inline)) int lock_by(uint32_t index, void *lock, uint8_t kind) {
  if (!inside_is_likely() || is_own_call || !tries[index]) return real(index)(lock);
  int result = tries[index](lock);
  if (likely(result != EBUSY)) return result;
  uint32_t owner = kind == optrace_object_mutex ? locks_mutex_owner(lock) : locks_writer(lock);
  return wait_for(index, lock, kind, owner, stack_here());
}

static int hook_mutex_lock(void *lock) { return lock_by(index_mutex_lock, lock, optrace_object_mutex); }
static int hook_rwlock_rdlock(void *lock) { return lock_by(index_rwlock_rdlock, lock, optrace_object_rwlock); }
static int hook_rwlock_wrlock(void *lock) { return lock_by(index_rwlock_wrlock, lock, optrace_object_rwlock); }

// `wanted`: so that the calls do not become dearer where nobody asked for these waits.
#define OF_OTHERS(name, kind) \
  int contended_##name(void *lock) { return inside_are_holdups_wanted() ? lock_by(index_##name, lock, kind) : real(index_##name)(lock); }
OF_OTHERS(mutex_lock, optrace_object_mutex)
OF_OTHERS(rwlock_rdlock, optrace_object_rwlock)
OF_OTHERS(rwlock_wrlock, optrace_object_rwlock)

bool contended_is_futex(long number, long operation) {
  return number == SYS_futex && (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI && inside_is_likely();
}

// The word holds the owner's id.
static uint32_t owner_in(long word) {
  return atomic_load_explicit((const _Atomic uint32_t *)(uintptr_t)word, memory_order_relaxed) & FUTEX_TID_MASK;
}

// The word of the last call on this thread that the system refused. Swift's `once` makes such calls without end where two initialisers wait for
// each other: no call of them waits, and notes would look as if the program moved.
static _Thread_local long refused;

long contended_futex(long (*call)(long, long, long, long, long, long, long), long number, long a, long b, long c, long d, long e, long f) {
  if (a == refused) {
    long again = call(number, a, b, c, d, e, f);
    if (again == 0) refused = 0;
    return again;
  }
  uint32_t owner = owner_in(a);
  thread_buffer *wait = inside_begin(waited_object((const void *)(uintptr_t)a, optrace_object_inheriting), stack_here());
  if (wait) wait_note_detail(wait, owner);
  long result = call(number, a, b, c, d, e, f);
  if (result != 0) refused = a;
  inside_end(wait);
  return result;
}

#define LOCK(name) [index_##name] = {"pthread_" #name, hook_##name}

hooked_import contended_imports[] = {LOCK(mutex_lock), LOCK(rwlock_rdlock), LOCK(rwlock_wrlock), {0}};
#endif
