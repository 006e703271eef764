// A reader that reads again behind a writer that waits, in a lock that prefers writers.
#if defined(__GLIBC__)
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/moment.h"
#include "harness.h"

static pthread_rwlock_t lock;
static _Atomic uint32_t ids[2];
static sem_t may_read_again;
static moment_thread seen[2];

static void *read_twice(void *unused) {
  (void)unused;
  atomic_store(&ids[0], (uint32_t)syscall(SYS_gettid));
  pthread_rwlock_rdlock(&lock);
  while (sem_wait(&may_read_again) != 0) {}
  pthread_rwlock_rdlock(&lock);
  return NULL;
}

static void *write_once(void *unused) {
  (void)unused;
  atomic_store(&ids[1], (uint32_t)syscall(SYS_gettid));
  pthread_rwlock_wrlock(&lock);
  return NULL;
}

static uint32_t no_stack(void *context, const thread_seen *thread) {
  (void)context, (void)thread;
  return 1;
}

static void note(void *context, const moment_thread *thread) {
  (void)context;
  for (int i = 0; i < 2; i++)
    if (thread->id == atomic_load(&ids[i])) seen[i] = *thread;
}

// Looks until a thread waits for readers.
static bool waits_for_readers(int which) {
  const threads_options options = {.but = (uint32_t)syscall(SYS_gettid)};
  const moment_calls calls = {.stack_id = no_stack, .report = note};
  for (int i = 0; i < 60000; i++, usleep(1000)) {
    threads_count count;
    seen[0] = seen[1] = (moment_thread){0};
    if (moment_take(&options, &calls, &count) != threads_visited || !seen[which].is_still) continue;
    if (seen[which].reason.kind == sleep_rwlock_readers) return seen[which].reason.lock == (uint64_t)(uintptr_t)&lock;
  }
  return false;
}

TEST(a_reader_that_reads_again_behind_a_writer_waits_for_readers) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  pthread_rwlockattr_t attributes;
  pthread_t threads[2];
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  sem_init(&may_read_again, 0, 0);
  locks_prepare();
  pthread_create(&threads[0], NULL, read_twice, NULL);
  while (pthread_rwlock_trywrlock(&lock) == 0) pthread_rwlock_unlock(&lock);
  pthread_create(&threads[1], NULL, write_once, NULL);
  REQUIRE(waits_for_readers(1));
  sem_post(&may_read_again);
  EXPECT(waits_for_readers(0));
}
#endif
