#include "CRecorderTestSupport.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int test_run_in_fork(void (*body)(void)) {
  pid_t child = fork();
  if (child == 0) {
    body();
    _exit(7);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

static pthread_key_t exit_key;
static _Thread_local void (*at_exit)(void);

static void call(void *rounds) {
  at_exit();
  // What is set again is called again, in the next round.
  pthread_setspecific(exit_key, (void *)((uintptr_t)rounds - 1));
}

static void make_exit_key(void) { pthread_key_create(&exit_key, call); }

void test_at_thread_exit(void (*body)(void), int rounds) {
  // Destructors of one round run in the order of the keys: the newest is last.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_exit_key);
  at_exit = body;
  pthread_setspecific(exit_key, (void *)(uintptr_t)rounds);
}

void test_limit_file_size(unsigned long long bytes) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

void test_limit_addresses(unsigned long long bytes) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

bool test_can_map(unsigned long long bytes) {
  void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at != MAP_FAILED && munmap(at, bytes) == 0;
}

unsigned long long test_addresses(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%llu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

enum { most_taken = 4096 };
static struct { void *at; size_t size; } taken[most_taken];
static int taken_count;

void test_take_addresses(void) {
  for (size_t size = (size_t)1 << 40; size >= 4096 && taken_count < most_taken;) {
    void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      size /= 2;
      continue;
    }
    taken[taken_count].at = at;
    taken[taken_count++].size = size;
  }
}

void test_give_addresses(void) {
  while (taken_count) {
    taken_count -= 1;
    munmap(taken[taken_count].at, taken[taken_count].size);
  }
}

static int opened[4096];
static int opened_count;

int test_take_descriptors(unsigned long long most) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur > most) limit.rlim_cur = most;
  setrlimit(RLIMIT_NOFILE, &limit);
  int file;
  while (opened_count < 4096 && (file = open("/dev/null", O_RDONLY)) >= 0) opened[opened_count++] = file;
  return opened_count;
}

void test_give_descriptors(void) {
  while (opened_count) close(opened[--opened_count]);
}

void test_store(unsigned long long *at, unsigned long long value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }

void test_fault(void) {
  char *volatile nowhere = (char *)16;
  *(volatile char *)nowhere = 1;
}

void test_buffer_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

static int bus_error_status;
static void exit_now(int number) {
  (void)number;
  _exit(bus_error_status);
}

void test_exit_on_bus_error(int status) {
  bus_error_status = status;
  signal(SIGBUS, exit_now);
}

void test_cause_bus_error(const char *path) {
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096) != 0) return;
  volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED || ftruncate(file, 0) != 0) return;
  *page = 1;
}

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t never_lock = PTHREAD_MUTEX_INITIALIZER;

// Waits itself, in the middle of the wait that was cancelled.
static void clean_up(void *unused) {
  (void)unused;
  static pthread_cond_t other = PTHREAD_COND_INITIALIZER;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 20000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec += 1;
    until.tv_nsec -= 1000000000;
  }
  while (pthread_cond_timedwait(&other, &never_lock, &until) == 0) {
  }
  pthread_mutex_unlock(&never_lock);
}

static void wait_for_ever(void) {
  pthread_mutex_lock(&never_lock);
  pthread_cleanup_push(clean_up, NULL);
  for (;;) pthread_cond_wait(&never, &never_lock);
  pthread_cleanup_pop(1);
}

static void *begin_wait(void *run) {
  ((void (*)(void (*)(void)))run)(wait_for_ever);
  return NULL;
}

void test_cancel_in_wait(void (*run)(void (*body)(void)), void (*until)(void)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, begin_wait, (void *)run) != 0) return;
  until();
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

const void *test_import(void) { return (const void *)pthread_cond_broadcast; }
