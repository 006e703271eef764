// Threads that sleep in the C library, as a look at them finds them: from pc and sp alone, behind functions of all kinds.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "sleeping.h"

static sem_t semaphore;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t rwlock;
static pthread_t other;
static int ends[2];
static _Atomic bool is_over;

static void begin_all(void) {
  is_over = false;
  sem_init(&semaphore, 0, 0);
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&condition, NULL);
  pthread_rwlock_init(&rwlock, NULL);
  if (pipe(ends) != 0) abort();
}

static void sleep_semaphore(void *unused) {
  (void)unused;
  while (sem_wait(&semaphore) != 0) {}
}
static void wake_semaphore(void *unused) {
  (void)unused;
  sem_post(&semaphore);
}
static void sleep_mutex(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void wake_mutex(void *unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
}
static void sleep_condition(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!is_over) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}
static void wake_condition(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  is_over = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}
static void sleep_reader(void *unused) {
  (void)unused;
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
}
static void wake_reader(void *unused) {
  (void)unused;
  pthread_rwlock_unlock(&rwlock);
}
static void *end_with_semaphore(void *unused) {
  sleep_semaphore(NULL);
  return unused;
}
static void sleep_join(void *unused) {
  (void)unused;
  pthread_join(other, NULL);
}
static void sleep_read(void *unused) {
  (void)unused;
  char byte;
  while (read(ends[0], &byte, 1) != 1) {}
}
static void sleep_poll(void *unused) {
  (void)unused;
  struct pollfd one = {.fd = ends[0], .events = POLLIN};
  while (poll(&one, 1, -1) != 1) {}
}
static void wake_pipe(void *unused) {
  (void)unused;
  if (write(ends[1], "x", 1) != 1) abort();
}
static void sleep_time(void *unused) {
  (void)unused;
  struct timespec hour = {3600, 0};
  while (!is_over) nanosleep(&hour, NULL);
}
static void wake_time(void *unused) {
  (void)unused;
  is_over = true;
}
// As Swift's Mutex and libdispatch do it.
static void sleep_by_number(void *unused) {
  (void)unused;
  struct timespec hour = {3600, 0};
  while (!is_over) {
    syscall(SYS_nanosleep, &hour, NULL);
    __asm__ volatile("" ::: "memory");
  }
}

// Functions that keep their frame by bp, called through pointers behind tail calls: nothing that can be seen says that they belong
// together, and pairs of saved bp and return address farther out fit better.
#if defined(__x86_64__)
static void *volatile kept;
static __attribute__((noinline)) void in_frame(void *context) {
  kept = __builtin_frame_address(0);
  sleep_mutex(context);
  __asm__ volatile("" ::: "memory");
}
static __attribute__((noinline)) void in_large_frame(void *context) {
  char large[1000];
  kept = __builtin_frame_address(0);
  __asm__ volatile("" ::"r"(large) : "memory", "rbx", "r12", "r13", "r14", "r15");
  sleep_mutex(context);
  __asm__ volatile("" ::"r"(large) : "memory");
}
static void (*volatile framed)(void *);
static __attribute__((noinline)) void through_pointer(void *context) {
  framed(context);
  __asm__ volatile("" ::: "memory");
}
static __attribute__((noinline)) void by_tail_call(void *context) { through_pointer(context); }
static __attribute__((noinline)) void by_tail_calls(void *context) { by_tail_call(context); }
static void sleep_framed(void *context) {
  by_tail_calls(context);
  __asm__ volatile("" ::: "memory");
}

TEST(threads_that_sleep_behind_frames_called_through_pointers) {
  void (*functions[])(void *) = {in_frame, in_large_frame};
#if defined(CORE_TESTS_SANITIZED)
  // Sanitizers keep large variables elsewhere, and take the room for that in a way of their own.
  const int count = 1;
#else
  const int count = 2;
#endif
  for (int i = 0; i < count; i++) {
    for (uint64_t seed = core_test_seed() * 10, end = seed + 9; seed < end; seed++) {
      begin_all();
      framed = functions[i];
      pthread_mutex_lock(&mutex);
      sleeping_stack stack = sleeping_look(seed, sleep_framed, wake_mutex, NULL);
      EXPECT_NOTHING(sleeping_compare(&stack, 0));
      EXPECT_EQUAL(stack.guessed, stack.count);
      close(ends[0]);
      close(ends[1]);
    }
  }
}
#endif

// What the C library keeps on its stack says all on arm64, but for functions that call nobody (`is_leaf`): of these the caller is not
// known, and the rest only where functions let x29 lead to what they have saved.
static void look(void (*sleep)(void *), void (*wake)(void *), bool is_leaf) {
  for (uint64_t seed = core_test_seed() * 10, end = seed + 6; seed < end; seed++) {
    begin_all();
    if (sleep == sleep_mutex) pthread_mutex_lock(&mutex);
    if (sleep == sleep_reader) pthread_rwlock_wrlock(&rwlock);
    if (sleep == sleep_join && pthread_create(&other, NULL, end_with_semaphore, NULL) != 0) abort();
    sleeping_stack stack = sleeping_look(seed, sleep, wake, NULL);
    EXPECT_NOTHING(sleeping_compare(&stack, 0));
#if defined(__aarch64__)
    if (!is_leaf) EXPECT_EQUAL(stack.guessed, stack.count);
#if defined(CORE_TESTS_FRAME_POINTERS)
    if (is_leaf) EXPECT_NOTHING(sleeping_compare(&stack, 1));
#endif
#else
    (void)is_leaf;
#endif
    close(ends[0]);
    close(ends[1]);
  }
}

TEST(threads_that_sleep_on_semaphores) { look(sleep_semaphore, wake_semaphore, false); }
TEST(threads_that_sleep_on_mutexes) { look(sleep_mutex, wake_mutex, false); }
TEST(threads_that_sleep_on_conditions) { look(sleep_condition, wake_condition, false); }
TEST(threads_that_sleep_until_others_end) { look(sleep_join, wake_semaphore, false); }
TEST(threads_that_sleep_in_read) { look(sleep_read, wake_pipe, false); }
TEST(threads_that_sleep_in_poll) { look(sleep_poll, wake_pipe, false); }
TEST(threads_that_sleep_for_a_time) { look(sleep_time, wake_time, false); }
TEST(threads_that_sleep_on_reader_writer_locks) { look(sleep_reader, wake_reader, true); }
TEST(threads_that_sleep_in_a_call_by_number) { look(sleep_by_number, wake_time, true); }
#endif
