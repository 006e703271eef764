// Numbers of system calls and places in locks: as this system's headers say, as the kernel's tables do, and as it really is.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <asm/unistd.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/calls.h"
#include "../../Sources/COpTrace/stacks/locks.h"
#include "CStackTestSupport.h"
#include "harness.h"
#include "recording.h"

// The kernel's own: include/uapi/asm-generic/unistd.h for arm64, arch/x86/entry/syscalls/syscall_64.tbl.
#if defined(__aarch64__)
#define NUMBER(arm64, x86_64) arm64
#else
#define NUMBER(arm64, x86_64) x86_64
#endif
_Static_assert(__NR_futex == NUMBER(98, 202) && SYS_futex == __NR_futex, "futex");
_Static_assert(__NR_epoll_pwait == NUMBER(22, 281) && SYS_epoll_pwait == __NR_epoll_pwait, "epoll_pwait");
_Static_assert(__NR_nanosleep == NUMBER(101, 35) && SYS_nanosleep == __NR_nanosleep, "nanosleep");
_Static_assert(__NR_clock_nanosleep == NUMBER(115, 230) && SYS_clock_nanosleep == __NR_clock_nanosleep, "clock_nanosleep");
_Static_assert(__NR_gettid == NUMBER(178, 186) && __NR_tgkill == NUMBER(131, 234), "gettid, tgkill");
_Static_assert(__NR_process_vm_readv == NUMBER(270, 310) && __NR_getdents64 == NUMBER(61, 217), "process_vm_readv, getdents64");
_Static_assert(__NR_rt_sigreturn == NUMBER(139, 15), "rt_sigreturn: a walk finds it by its number");

TEST(the_calls_that_threads_sleep_in_are_known_by_number_and_kind) {
  static const struct { int32_t number; sleep_kind kind; const char *name; } calls[] = {
      {NUMBER(98, 202), sleep_futex, "futex"},
      {NUMBER(73, 271), sleep_poll, "ppoll"},
      {NUMBER(72, 270), sleep_poll, "pselect6"},
      {NUMBER(22, 281), sleep_poll, "epoll_pwait"},
      {441, sleep_poll, "epoll_pwait2"},
      {NUMBER(101, 35), sleep_time, "nanosleep"},
      {NUMBER(115, 230), sleep_time, "clock_nanosleep"},
      {NUMBER(63, 0), sleep_input, "read"},
      {NUMBER(64, 1), sleep_input, "write"},
      {NUMBER(67, 17), sleep_input, "pread64"},
      {NUMBER(56, 257), sleep_input, "openat"},
      {NUMBER(203, 42), sleep_input, "connect"},
      {NUMBER(202, 43), sleep_input, "accept"},
      {NUMBER(242, 288), sleep_input, "accept4"},
      {NUMBER(207, 45), sleep_input, "recvfrom"},
      {NUMBER(212, 47), sleep_input, "recvmsg"},
      {NUMBER(82, 74), sleep_input, "fsync"},
      {NUMBER(32, 73), sleep_input, "flock"},
      {NUMBER(25, 72), sleep_input, "fcntl"},
      {NUMBER(29, 16), sleep_input, "ioctl"},
      {426, sleep_input, "io_uring_enter"},
      {NUMBER(260, 61), sleep_child, "wait4"},
      {NUMBER(95, 247), sleep_child, "waitid"},
      {NUMBER(137, 128), sleep_signal, "rt_sigtimedwait"},
      {NUMBER(133, 130), sleep_signal, "rt_sigsuspend"},
#if defined(__x86_64__)
      {7, sleep_poll, "poll"},
      {23, sleep_poll, "select"},
      {232, sleep_poll, "epoll_wait"},
      {2, sleep_input, "open"},
      {34, sleep_signal, "pause"},
#endif
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const sleep_call *known = sleep_call_find(calls[i].number);
    if (!known) core_test_fail(__FILE__, __LINE__, "%s (%d) is not known", calls[i].name, calls[i].number);
    else EXPECT(known->kind == calls[i].kind && strcmp(known->name, calls[i].name) == 0);
  }
  EXPECT(!sleep_call_find(-1) && !sleep_call_find(__NR_gettid) && !sleep_call_find(100000));
}

// ---- Locks ---------------------------------------------------------------------------------------------------------

#if defined(__GLIBC__)
// As locks.c reads them: 32-bit words from the beginning.
_Static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0 && offsetof(pthread_mutex_t, __data.__owner) == 8, "mutex");
_Static_assert(offsetof(pthread_mutex_t, __data.__nusers) == 12 && offsetof(pthread_mutex_t, __data.__kind) == 16, "mutex");
_Static_assert(offsetof(pthread_rwlock_t, __data.__readers) == 0 && offsetof(pthread_rwlock_t, __data.__wrphase_futex) == 8, "rwlock");
_Static_assert(offsetof(pthread_rwlock_t, __data.__writers_futex) == 12 && offsetof(pthread_rwlock_t, __data.__cur_writer) == 24, "rwlock");
#endif

// In what a thread sleeps that waits for this word to change, as the C library asks the kernel for it.
static sleep_reason explain(const void *word, uint32_t operation, uint32_t expected) {
  uint64_t arguments[6] = {(uint64_t)(uintptr_t)word, operation, expected};
  return locks_explain(__NR_futex, arguments);
}
enum { wait_privately = 128, wait_shared = 0, lock_inheriting = 6 | 128 };

static void check_owned(sleep_reason reason, sleep_kind kind, const void *lock) {
  EXPECT_EQUAL(reason.kind, kind);
  EXPECT(reason.lock == (uint64_t)(uintptr_t)lock && reason.call && strcmp(reason.call, "futex") == 0);
  EXPECT_EQUAL(reason.owner, test_thread_id());
  EXPECT(!reason.owner_ended);
}

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static bool takes_it_for_writing;

static void *take_mutex(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void *take_rwlock(void *unused) {
  if (takes_it_for_writing) pthread_rwlock_wrlock(&rwlock);
  else pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

static bool is_contended(void *word) { return __atomic_load_n((uint32_t *)word, __ATOMIC_RELAXED) == 2; }

// Locks that are really taken, and really waited for.
TEST(whose_mutex_it_is) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
  locks_prepare();
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[i]);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, take_mutex, NULL) == 0);
    EXPECT(comes_true(is_contended, &mutex));
    check_owned(explain(&mutex, wait_privately, 2), sleep_mutex, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    EXPECT_EQUAL(explain(&mutex, wait_privately, 2).owner, 0);
    pthread_mutex_destroy(&mutex);
  }
}

TEST(whose_inheriting_or_robust_mutex_it_is) {
  pthread_mutexattr_t attributes;
  locks_prepare();
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&mutex, &attributes);
  REQUIRE(pthread_mutex_lock(&mutex) == 0);
  // The word is the owner's id, for the kernel: as in Swift's Mutex.
  EXPECT_EQUAL(*(uint32_t *)(void *)&mutex & 0x3FFFFFFF, test_thread_id());
  check_owned(explain(&mutex, lock_inheriting, 0), sleep_inheriting, &mutex);
  pthread_mutex_unlock(&mutex);
  EXPECT_EQUAL(explain(&mutex, lock_inheriting, 0).owner, 0);
  pthread_mutex_destroy(&mutex);

  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutex_lock(&mutex);
  uint32_t *word = (uint32_t *)(void *)&mutex;
  EXPECT_EQUAL(*word & 0x3FFFFFFF, test_thread_id());
  *word |= 0x80000000;  // Somebody waits.
  check_owned(explain(&mutex, wait_shared, *word), sleep_owned_word, &mutex);
}

static bool is_waited_for(void *words) {
  uint32_t phase = __atomic_load_n((uint32_t *)words + 2, __ATOMIC_RELAXED), writers = __atomic_load_n((uint32_t *)words + 3, __ATOMIC_RELAXED);
  return (phase & 2) || (writers & 2);
}

TEST(whose_reader_writer_lock_it_is) {
  uint32_t *words = (uint32_t *)(void *)&rwlock;
  locks_prepare();
  for (int writes = 0; writes < 2; writes++) {
    pthread_rwlock_init(&rwlock, NULL);
    pthread_rwlock_wrlock(&rwlock);
    takes_it_for_writing = writes;
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, take_rwlock, NULL) == 0);
    EXPECT(comes_true(is_waited_for, words));
    uint32_t place = writes ? 3 : 2;
    check_owned(explain(words + place, wait_privately, words[place]), sleep_rwlock_writer, &rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_join(other, NULL);
    EXPECT_EQUAL(explain(words + place, wait_privately, 3).owner, 0);
  }
  // A writer behind readers, of whom nobody keeps the names.
  pthread_rwlock_init(&rwlock, NULL);
  pthread_rwlock_rdlock(&rwlock);
  takes_it_for_writing = true;
  pthread_t other;
  REQUIRE(pthread_create(&other, NULL, take_rwlock, NULL) == 0);
  EXPECT(comes_true(is_waited_for, words));
  sleep_reason reason = explain(words + 2, wait_privately, words[2]);
  EXPECT(reason.kind == sleep_rwlock_readers && reason.owner == 0 && reason.lock == (uint64_t)(uintptr_t)words);
  pthread_rwlock_unlock(&rwlock);
  pthread_join(other, NULL);
}

static void *end_at_once(void *id) {
  *(uint32_t *)id = test_thread_id();
  return NULL;
}

// It may be joined a moment before the system has forgotten it.
static bool is_gone(void *id) { return syscall(SYS_tgkill, getpid(), *(uint32_t *)id, 0) == -1 && errno == ESRCH; }

TEST(an_owner_that_has_ended_is_told_so) {
  uint32_t id = 0;
  pthread_t other;
  locks_prepare();
  REQUIRE(pthread_create(&other, NULL, end_at_once, &id) == 0);
  pthread_join(other, NULL);
  REQUIRE(comes_true(is_gone, &id));
  pthread_mutex_init(&mutex, NULL);
  uint32_t *words = (uint32_t *)(void *)&mutex;
  words[0] = 2, words[2] = id, words[3] = 1;
  sleep_reason reason = explain(&mutex, wait_privately, 2);
  EXPECT(reason.kind == sleep_mutex && reason.owner == id && reason.owner_ended);
}

// Another process may have it, or signal it: no thread of this one is accused, and none is called ended.
TEST(what_processes_share_is_told_so) {
  uint32_t word = 1;
  locks_prepare();
  pthread_mutex_init(&mutex, NULL);
  uint32_t *words = (uint32_t *)(void *)&mutex;
  words[0] = 2, words[2] = (uint32_t)getppid(), words[3] = 1, words[4] = 128;
  const void *shared[] = {&word, &mutex};
  for (size_t i = 0; i < 2; i++) {
    sleep_reason reason = explain(shared[i], wait_shared, *(const uint32_t *)shared[i]);
    EXPECT(reason.kind == sleep_shared && reason.owner == 0 && !reason.owner_ended && reason.lock == (uint64_t)(uintptr_t)shared[i]);
  }
  // One of our own threads has it.
  words[2] = test_thread_id();
  check_owned(explain(&mutex, wait_shared, 2), sleep_mutex, &mutex);
  EXPECT_EQUAL(explain(&word, wait_privately, 1).kind, sleep_futex);
}

TEST(a_wait_until_a_day_that_never_comes_has_no_end) {
  enum { wait_privately_until = 9 | 128 };
  const time_t year_4001 = 64092211200;
  uint32_t word = 0;
  struct timespec later = {time(NULL) + 3600, 0}, never = {year_4001, 0};
  struct {
    const void *until;
    bool is_timed;
  } waits[] = {{NULL, false}, {&later, true}, {&never, false}, {(const void *)1, true}};
  locks_prepare();
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    uint64_t arguments[6] = {(uint64_t)(uintptr_t)&word, wait_privately_until, 0, (uint64_t)(uintptr_t)waits[i].until};
    EXPECT_EQUAL(locks_explain(SYS_futex, arguments).timed, waits[i].is_timed);
  }
}

// A child that has it may write to it.
TEST(an_eventfd_that_other_programs_keep_may_be_written_from_outside) {
  const int flags[] = {EFD_CLOEXEC, 0};
  for (size_t i = 0; i < 2; i++) {
    int set = epoll_create1(EPOLL_CLOEXEC), file = eventfd(0, flags[i]);
    struct epoll_event wanted = {.events = EPOLLIN};
    REQUIRE(epoll_ctl(set, EPOLL_CTL_ADD, file, &wanted) == 0);
    uint64_t arguments[6] = {(uint64_t)set, 0, 1, (uint64_t)-1};
    EXPECT_EQUAL(locks_explain(__NR_epoll_pwait, arguments).kind, i == 0 ? sleep_events : sleep_poll);
    close(file);
    close(set);
  }
}

TEST(words_that_are_no_locks_have_no_owner) {
  for (uint64_t seed = core_test_seed() * 10, end = seed + 2; seed < end; seed++) EXPECT_NOTHING(test_locks_hostile(seed));
}

// ---- As the system shows it ----------------------------------------------------------------------------------------

static const char not_the_programs[] = "/proc/PID/task/TID/syscall tells of the emulator's threads, and not of the program's";

TEST(each_way_to_sleep_is_seen_with_its_lock_and_stack) {
  SKIP_IF(is_emulated(), not_the_programs);
  for (int way = 0; way < test_sleep_ways(); way++)
    for (uint64_t seed = core_test_seed(), end = seed + 3; seed < end; seed++) {
      const char *wrong = test_sleeper(way, seed);
      if (wrong) core_test_fail(__FILE__, __LINE__, "%s, %llu: %s", test_sleep_way(way), (unsigned long long)seed, wrong);
    }
}
TEST(an_owner_that_has_ended_is_seen_so) {
  SKIP_IF(is_emulated(), not_the_programs);
  EXPECT_NOTHING(test_owner_ended());
}
TEST(many_threads_are_seen_with_their_stacks) {
  SKIP_IF(is_emulated(), not_the_programs);
  EXPECT_NOTHING(test_crowd(300));
}
TEST(what_is_told_was_so_at_one_moment) {
  SKIP_IF(is_emulated(), not_the_programs);
  EXPECT_NOTHING(test_moment());
}
TEST(who_looks_sees_itself_run) { EXPECT_NOTHING(test_look_at_self()); }
TEST(threads_that_come_and_go_are_looked_at) {
  SKIP_IF(is_emulated(), not_the_programs);
  EXPECT_NOTHING(test_unrest(100));
}
#endif
