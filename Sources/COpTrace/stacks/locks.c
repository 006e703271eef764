// glibc, libdispatch and Swift store the owner in the lock itself: in `pthread_mutex_t` (sysdeps/nptl/bits/struct_mutex.h), in
// `pthread_rwlock_t` (struct_rwlock.h), and in words for futex(2) that contain a thread's id. Private layouts are verified before they
// are used.
#include "locks.h"

#include "events.h"
#include "peek.h"
#include "supported.h"

#if OPTRACE_STACKS

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic bool knows_mutexes, knows_rwlocks;

// Offsets from the beginning of the lock, in 32-bit words.
enum { mutex_word = 0, mutex_owner = 2, mutex_users = 3, mutex_type = 4, mutex_words = 5 };
enum { rwlock_readers = 0, rwlock_phase = 2, rwlock_writers = 3, rwlock_owner = 6, rwlock_words = 7 };
enum { readers_see_writer = 1, readers_are_locked_out = 2, readers_wait = 4, rwlock_waited_for = 2 };
enum { id_bits = 0x3FFFFFFF };
static const uint32_t has_waiters = 0x80000000;

static uint32_t own_id(void) { return (uint32_t)syscall(SYS_gettid); }

// Reads the same words twice; false if they differ.
static bool read_twice(uint64_t address, uint32_t *words, int count) {
  uint32_t again[8];
  if (!peek_all(address, words, (size_t)count * 4) || !peek_all(address, again, (size_t)count * 4)) return false;
  for (int i = 0; i < count; i++)
    if (words[i] != again[i]) return false;
  return true;
}

// Signal 0 only checks whether the process has such a thread.
static bool is_thread(uint32_t id) {
  bool has;
  if (!id || id > id_bits) return false;
  if (peek_knows_thread(id, &has)) return has;
  int error = errno;
  uint32_t process = peek_process();
  // In another user's process the call is refused if the thread exists.
  bool is = syscall(SYS_tgkill, process ? (long)process : (long)getpid(), (long)id, 0l) == 0 || errno == EPERM;
  errno = error;
  return is;
}

static void try_mutex(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutexattr_t attributes;
  uint32_t words[mutex_words], after[mutex_words];
  const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  bool fits = sizeof lock >= sizeof words;
  for (int i = 0; fits && i < 3; i++) {
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[i]);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_mutex_lock(&lock);
    fits = read_twice((uint64_t)(uintptr_t)&lock, words, mutex_words);
    pthread_mutex_unlock(&lock);
    fits = fits && read_twice((uint64_t)(uintptr_t)&lock, after, mutex_words) && words[mutex_word] == 1 &&
           words[mutex_owner] == own_id() && words[mutex_users] == 1 && (words[mutex_type] & 3) == (uint32_t)types[i] &&
           after[mutex_word] == 0 && after[mutex_owner] == 0;
    pthread_mutex_destroy(&lock);
  }
  atomic_store(&knows_mutexes, fits);
}

static void try_rwlock(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  uint32_t words[rwlock_words], after[rwlock_words];
  if (sizeof lock < sizeof words) return;
  pthread_rwlock_wrlock(&lock);
  bool fits = read_twice((uint64_t)(uintptr_t)&lock, words, rwlock_words);
  pthread_rwlock_unlock(&lock);
  fits = fits && read_twice((uint64_t)(uintptr_t)&lock, after, rwlock_words) && words[rwlock_owner] == own_id() &&
         (words[rwlock_readers] & 3) == (readers_see_writer | readers_are_locked_out) && words[rwlock_phase] == 1 &&
         words[rwlock_writers] == 1 && after[rwlock_owner] == 0 && !(after[rwlock_readers] & readers_are_locked_out);
  pthread_rwlock_destroy(&lock);
  atomic_store(&knows_rwlocks, fits);
}

static void prepare(void) {
  try_mutex();
  try_rwlock();
}

void locks_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
}

// The program is in a call on the lock, so its memory can be read.
static uint32_t word_of(const void *lock, int index) {
  return atomic_load_explicit((const _Atomic uint32_t *)lock + index, memory_order_relaxed) & id_bits;
}

uint32_t locks_mutex_owner(const void *lock) { return atomic_load(&knows_mutexes) ? word_of(lock, mutex_owner) : 0; }
uint32_t locks_writer(const void *lock) { return atomic_load(&knows_rwlocks) ? word_of(lock, rwlock_owner) : 0; }

bool locks_find_owner(uint64_t lock, uint32_t *owner) {
  if (!atomic_load(&knows_mutexes) || !peek_all(lock + 4 * mutex_owner, owner, sizeof *owner)) return false;
  *owner &= id_bits;
  return true;
}

// ---- Futexes

static bool owned(sleep_reason *out, sleep_kind kind, uint64_t lock, uint32_t owner) {
  out->kind = kind;
  out->lock = lock;
  out->owner = owner;
  out->owner_ended = !is_thread(owner);
  return true;
}

static bool is_mutex(uint64_t word, sleep_reason *out) {
  enum { known_types = 3 | 128 | 256 | 512 };  // The type; shared between processes; two flags of lock elision.
  uint32_t words[mutex_words];
  if (!atomic_load(&knows_mutexes) || !read_twice(word, words, mutex_words) || words[mutex_word] != 2) return false;
  // If the word does not belong to a mutex, anything may follow it. These values show an initialised and locked mutex.
  uint32_t owner = words[mutex_owner];
  if ((words[mutex_type] & ~(uint32_t)known_types) || !words[mutex_users] || !owner || owner > id_bits) return false;
  return owned(out, sleep_mutex, word, owner);
}

// A reader of a lock that prefers writers, behind a writer that waits for the readers to leave: perhaps for this one, which reads again.
static bool is_reader_behind_writer(uint64_t lock, uint32_t expected, sleep_reason *out) {
  uint32_t words[rwlock_words];
  const uint32_t flags = readers_see_writer | readers_are_locked_out | readers_wait;
  if (lock % sizeof(void *) || (expected & flags) != (readers_are_locked_out | readers_wait) || !(expected >> 3)) return false;
  if (!read_twice(lock, words, rwlock_words) || words[rwlock_readers] != expected || words[rwlock_owner] || !words[rwlock_writers])
    return false;
  out->kind = sleep_rwlock_readers;
  out->lock = lock;
  return true;
}

// A reader waits for a phase in which readers may enter. A writer behind another writer waits for its turn among the writers.
static bool is_rwlock(uint64_t word, uint32_t expected, sleep_reason *out) {
  uint32_t words[rwlock_words];
  if (!atomic_load(&knows_rwlocks)) return false;
  if (is_reader_behind_writer(word, expected, out)) return true;
  for (int index = rwlock_phase; index <= rwlock_writers; index++) {
    uint64_t lock = word - (uint64_t)index * 4;
    if (lock % sizeof(void *) || !read_twice(lock, words, rwlock_words) || words[index] != expected) continue;
    uint32_t owner = words[rwlock_owner], readers = words[rwlock_readers];
    if (expected == (1 | rwlock_waited_for) && (readers & readers_are_locked_out) && is_thread(owner))
      return owned(out, sleep_rwlock_writer, lock, owner);
    // This writer waits for the readers to leave: it is next among the writers, but the readers' phase has not ended.
    if (index == rwlock_phase && expected == rwlock_waited_for && !owner && readers >> 3 && (readers & 3) == readers_are_locked_out &&
        words[rwlock_writers]) {
      out->kind = sleep_rwlock_readers;
      out->lock = lock;
      return true;
    }
  }
  return false;
}

static bool has_owner_in_word(uint64_t word, sleep_kind kind, sleep_reason *out) {
  uint32_t value;
  return read_twice(word, &value, 1) && (value & id_bits) && owned(out, kind, word, value & id_bits);
}

// Whether the wait has a timeout. Programs use a time many years from now for "never", so ten years do not count as one.
static bool has_deadline(uint64_t address) {
  enum { ten_years = 10 * 365 * 24 * 3600 };
  uint64_t until[2];  // Seconds and nanoseconds.
  if (!address) return false;
  // The time is relative to now, or counts from a clock's zero, which is 1970 or the start of the machine.
  return !peek_all(address, until, sizeof until) || (int64_t)until[0] < (int64_t)time(NULL) + ten_years;
}

enum { wait = 0, lock_pi = 6, wait_bitset = 9, lock_pi2 = 13, is_private = 128, by_wall_clock = 256 };

static void explain_private(const uint64_t arguments[6], sleep_reason *out) {
  uint64_t word = arguments[0];
  uint32_t operation = (uint32_t)arguments[1], expected = (uint32_t)arguments[2], value;
  uint32_t what = operation & ~(uint32_t)(is_private | by_wall_clock);
  out->kind = sleep_futex;
  out->lock = word;
  if (what == lock_pi || what == lock_pi2) {
    if (!has_owner_in_word(word, sleep_inheriting, out)) out->kind = sleep_inheriting;
    return;
  }
  if (what != wait && what != wait_bitset) return;
  if (!read_twice(word, &value, 1) || value != expected) return;  // The thread is being woken.
  if (expected == 2 && is_mutex(word, out)) return;
  if (is_rwlock(word, expected, out)) return;
  if ((expected & has_waiters) && is_thread(expected & id_bits)) has_owner_in_word(word, sleep_owned_word, out);
  // The kernel clears the id when the thread ends, and then wakes waiters with a futex call for words that processes may share.
  else if (!(operation & is_private) && is_thread(expected)) owned(out, sleep_join, word, expected);
}

// Waits that other processes may end, too: the word may be mapped at other addresses there, and its owner may be a thread of another
// process.
static void explain_futex(const uint64_t arguments[6], sleep_reason *out) {
  explain_private(arguments, out);
  if ((uint32_t)arguments[1] & is_private || out->kind == sleep_join || (out->owner && !out->owner_ended)) return;
  *out = (sleep_reason){.kind = sleep_shared, .lock = out->lock, .timed = out->timed, .call = out->call};
}

sleep_reason locks_explain(int32_t call, const uint64_t arguments[6]) {
  sleep_reason out = {.kind = sleep_unknown};
  const sleep_call *known = sleep_call_find(call);
  if (!known) return out;
  out.kind = known->kind;
  out.call = known->name;
  if (out.kind == sleep_poll && events_are_own(call, arguments)) out.kind = sleep_events;
  if (out.kind == sleep_poll || out.kind == sleep_input) out.lock = events_sources(call, arguments);
  if (out.kind == sleep_futex) {
    out.timed = has_deadline(arguments[3]);
    explain_futex(arguments, &out);
  }
  return out;
}

#else

void locks_prepare(void) {}
uint32_t locks_mutex_owner(const void *lock) { return (void)lock, 0; }
uint32_t locks_writer(const void *lock) { return (void)lock, 0; }
bool locks_find_owner(uint64_t lock, uint32_t *owner) { return (void)lock, (void)owner, false; }

sleep_reason locks_explain(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return (sleep_reason){.kind = sleep_unknown};
}

#endif
