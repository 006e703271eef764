// Functions that call nobody: on arm64 their return address stands in a register alone. Where a signal came, that register is known;
// of a thread that sleeps it is not.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/bounds.h"
#include "../../Sources/COpTrace/stacks/locks.h"
#include "../../Sources/COpTrace/stacks/modules.h"
#include "../../Sources/COpTrace/stacks/unwind.h"
#include "COpTrace.h"
#include "CStackTestSupport.h"
#include "harness.h"
#include "sleeping.h"

// A leaf without a frame in which a signal comes, and one that sleeps in a system call as C libraries make them.
#if defined(__x86_64__)
__asm__(
    ".text\n.type trap_in_leaf, @function\ntrap_in_leaf:\n.cfi_startproc\n ud2\n ret\n.cfi_endproc\n.size trap_in_leaf, .-trap_in_leaf\n"
    ".type sleep_in_leaf, @function\nsleep_in_leaf:\n.cfi_startproc\n mov %rsp, (%r8)\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n"
    " mov %rcx, %rdx\n xor %r10d, %r10d\n syscall\nbehind_the_call:\n ret\n.cfi_endproc\n.size sleep_in_leaf, .-sleep_in_leaf\n");
enum { trap_bytes = 2 };
#else
__asm__(
    ".text\n.type trap_in_leaf, %function\ntrap_in_leaf:\n.cfi_startproc\n udf #0\n ret\n.cfi_endproc\n.size trap_in_leaf, .-trap_in_leaf\n"
    ".type sleep_in_leaf, %function\nsleep_in_leaf:\n.cfi_startproc\n mov x9, sp\n str x9, [x4]\n mov x8, x0\n mov x0, x1\n mov x1, x2\n"
    " mov x2, x3\n mov x3, xzr\n svc #0\nbehind_the_call:\n ret\n.cfi_endproc\n.size sleep_in_leaf, .-sleep_in_leaf\n");
enum { trap_bytes = 4 };
#endif
// Hidden: they are of this file alone.
#pragma GCC visibility push(hidden)
void trap_in_leaf(void);
// `sp`: where it stands meanwhile; its pc is `behind_the_call`.
long sleep_in_leaf(long number, const void *first, long second, long third, _Atomic uint64_t *sp);
extern const char behind_the_call[];
#pragma GCC visibility pop

static const char *walked = "was not called";

static void on_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  walked = test_walk_here(NULL);
  machine_skip(context, trap_bytes);
}

static __attribute__((noinline)) void call_leaf(void) {
  trap_in_leaf();
  __asm__ volatile("" ::: "memory");
}

TEST(a_signal_in_a_function_that_calls_nobody) {
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
  modules_refresh();
  call_leaf();
  EXPECT_NOTHING(walked);
}

// ---- This place, in functions that save their return address late --------------------------------------------------

static __attribute__((noinline)) size_t walk_from(const stack_start *start, uint64_t *pcs) {
  size_t guessed, count = stack_walk_here(start, pcs, 64, &guessed);
  return guessed == count ? count : 0;
}

// Most calls of it do nothing, so a compiler saves nothing before it knows; nor for what goes to memory that is there already.
static stack_start noted;
static __attribute__((noinline)) size_t walk_seldom(long often, uint64_t *pcs) {
  if (__builtin_expect(often != 0, 1)) return (size_t)often;
  noted = stack_here();
  if (!noted.pc) return 0;
  size_t count = walk_from(&noted, pcs);
  __asm__ volatile("" ::: "memory");
  return count;
}

TEST(a_place_is_where_its_function_returns_from) {
  uint64_t pcs[64];
  volatile long often = 0;
  modules_refresh();
  size_t count = walk_seldom(often, pcs);
  REQUIRE(count > 3);
  uint64_t outside = (uint64_t)(uintptr_t)a_place_is_where_its_function_returns_from;
  EXPECT(pcs[1] > outside && pcs[1] < outside + 400);
}

static __attribute__((noinline)) stack_start outside_seldom(long often) {
  if (__builtin_expect(often != 0, 1)) return (stack_start){0, 0, 0};
  stack_start here = stack_here(), outer = stack_outside(&here, false);
  __asm__ volatile("" ::: "memory");
  return outer;
}

TEST(the_place_outside_is_the_callers) {
  volatile long often = 0;
  modules_refresh();
  stack_start outer = outside_seldom(often);
  uint64_t own = (uint64_t)(uintptr_t)the_place_outside_is_the_callers, pcs[64];
  EXPECT(outer.pc > own && outer.pc < own + 400);
  // And it can be walked from.
  size_t guessed, count = stack_walk_here(&outer, pcs, 64, &guessed);
  EXPECT(count > 2 && guessed == count);
}

// ---- Threads that sleep there --------------------------------------------------------------------------------------

static _Atomic bool is_awake;
static _Atomic uint64_t sleeps_at;
static void sleep_an_hour(void *unused) {
  (void)unused;
  struct timespec hour = {3600, 0};
  while (!is_awake) {
    sleep_in_leaf(SYS_nanosleep, &hour, 0, 0, &sleeps_at);
    __asm__ volatile("" ::: "memory");
  }
}
static void wake_it(void *unused) {
  (void)unused;
  is_awake = true;
}

// On arm64 the function that called it has left nothing behind that tells of it. What it returns to is found where functions let
// x29 lead to what they have saved, and all that follows.
TEST(a_thread_that_sleeps_in_a_function_that_calls_nobody) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    is_awake = false;
    sleeping_stack stack = sleeping_look(seed, sleep_an_hour, wake_it, NULL);
    uint64_t leaf = (uint64_t)(uintptr_t)sleep_in_leaf;
    EXPECT(stack.pcs[0] >= leaf && stack.pcs[0] <= leaf + 32);
    EXPECT(stack.guessed >= 1);
    if (!has_register_ra) EXPECT_NOTHING(sleeping_compare(&stack, 0));
#if defined(CORE_TESTS_FRAME_POINTERS)
    else EXPECT_NOTHING(sleeping_compare(&stack, 1));
#endif
  }
}

// ---- What /proc tells of a thread ----------------------------------------------------------------------------------

// In the place of the file that tells of one thread: under an emulator the system's own is about the emulator.
static uint32_t told_thread;
static char told[512];

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...) {
  char name[32];
  snprintf(name, sizeof name, "%u/syscall", told_thread);
  if (!told_thread || strcmp(path, name) != 0) return __real_openat(folder, path, flags);
  FILE *file = fopen("told", "w");
  if (!file || fputs(told, file) < 0 || fclose(file) != 0) return -1;
  return __real_openat(AT_FDCWD, "told", flags);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t sleeper;

// As the C library waits for a mutex.
static void *wait_for_mutex(void *unused) {
  sleeper = optrace_thread_id();
  uint32_t *word = (uint32_t *)(void *)&mutex;
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) sleep_in_leaf(SYS_futex, word, 128, 2, &sleeps_at);
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
  return unused;
}

TEST(what_a_thread_sleeps_in_and_whose_lock_it_is_comes_from_what_is_told_of_it) {
  test_seen seen;
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  REQUIRE(pthread_create(&thread, NULL, wait_for_mutex, NULL) == 0);
  while (!sleeps_at) usleep(100);
  usleep(20000);
  told_thread = sleeper;
  snprintf(told, sizeof told, "%d 0x%llx 0x80 0x2 0x0 0x0 0x0 0x%llx 0x%llx\n", (int)SYS_futex, (unsigned long long)(uintptr_t)&mutex,
           (unsigned long long)sleeps_at, (unsigned long long)(uintptr_t)behind_the_call);
  REQUIRE(test_see(sleeper, &seen));
  EXPECT(seen.kind == sleep_mutex && strcmp(seen.call, "futex") == 0 && seen.lock == (uint64_t)(uintptr_t)&mutex);
  EXPECT(seen.owner == optrace_thread_id() && !seen.owner_ended && !seen.is_running);
  EXPECT(seen.depth >= 2 && seen.pcs[0] == (uint64_t)(uintptr_t)behind_the_call);
  // In the kernel and in no call of it; running; and what is no such line.
  snprintf(told, sizeof told, "-1 0x%llx 0x%llx\n", (unsigned long long)sleeps_at, (unsigned long long)(uintptr_t)behind_the_call);
  REQUIRE(test_see(sleeper, &seen));
  EXPECT(!seen.call && seen.kind == sleep_unknown && seen.depth >= 1 && !seen.owner);
  strcpy(told, "running\n");
  REQUIRE(test_see(sleeper, &seen));
  EXPECT(seen.is_running && !seen.depth && !seen.call);
  strcpy(told, "98 0x1 0x2\n");
  REQUIRE(test_see(sleeper, &seen));
  EXPECT(!seen.depth && !seen.owner && seen.kind == sleep_unknown);
  pthread_mutex_unlock(&mutex);
  // Whoever waits without being counted has to be woken.
  syscall(SYS_futex, &mutex, 129, 1, NULL, NULL, 0);
  pthread_join(thread, NULL);
}
#endif
