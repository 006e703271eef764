// A handler and a semaphore instead of `sigwait`, which needs the signal blocked in every thread, including older ones; and
// programs started by `exec` would inherit that. A handler works whenever it is installed, on whichever thread the signal
// arrives.
#include "COpTraceSignals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A semaphore that a handler may post.
#if defined(__APPLE__)
#include <mach/mach.h>
#include <mach/semaphore.h>
typedef semaphore_t wake_up;
static int wake_prepare(wake_up *wake) {
  return semaphore_create(mach_task_self(), wake, SYNC_POLICY_FIFO, 0) == KERN_SUCCESS ? 0 : ENOMEM;
}
static void wake_signal(wake_up *wake) { semaphore_signal(*wake); }
static void wake_wait(wake_up *wake) {
  while (semaphore_wait(*wake) == KERN_ABORTED) {}
}
#else
#include <semaphore.h>
typedef sem_t wake_up;
static int wake_prepare(wake_up *wake) { return sem_init(wake, 0, 0) == 0 ? 0 : errno; }
static void wake_signal(wake_up *wake) { sem_post(wake); }
static void wake_wait(wake_up *wake) {
  while (sem_wait(wake) != 0 && errno == EINTR) {}
}
#endif

struct optrace_signal {
  int number;
  pid_t owner;
  wake_up wake;
  _Atomic bool has_come;
  _Atomic bool is_removed;
  struct sigaction previous;
};

enum { signal_count = 65 };
static _Atomic(optrace_signal *) installed[signal_count];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number) {
  int error = errno;
  optrace_signal *s = atomic_load(&installed[number]);
  if (s && getpid() != s->owner) {
    // A forked child has no waiting thread: there the signal does what it did before.
    sigaction(number, &s->previous, NULL);
    raise(number);
  } else if (s && !atomic_exchange(&s->has_come, true)) {
    wake_signal(&s->wake);
  }
  errno = error;
}

// `lock` is held.
static int install(optrace_signal *s) {
  optrace_signal *other = atomic_load(&installed[s->number]);
  if (other && other->owner == s->owner) return EBUSY;
  if (sigaction(s->number, NULL, &s->previous) != 0) return errno;
  if (other) s->previous = other->previous;  // The parent's, in a forked child.
  int error = wake_prepare(&s->wake);
  if (error) return error;
  atomic_store(&installed[s->number], s);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  // Calls that the signal interrupts are restarted where the system allows it.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(s->number, &action, NULL) == 0) return 0;
  error = errno;
  atomic_store(&installed[s->number], other);
  return error;
}

optrace_signal *optrace_signal_install(int number) {
  optrace_signal *s = number > 0 && number < signal_count ? calloc(1, sizeof *s) : NULL;
  int error = number > 0 && number < signal_count ? ENOMEM : EINVAL;
  if (s) {
    s->number = number;
    s->owner = getpid();
    pthread_mutex_lock(&lock);
    error = install(s);
    pthread_mutex_unlock(&lock);
  }
  if (!error) return s;
  free(s);
  errno = error;
  return NULL;
}

bool optrace_signal_wait(optrace_signal *s) {
  wake_wait(&s->wake);
  atomic_store(&s->has_come, false);
  return !atomic_load(&s->is_removed);
}

void optrace_signal_remove(optrace_signal *s) {
  pthread_mutex_lock(&lock);
  bool is_mine = atomic_load(&installed[s->number]) == s && s->owner == getpid();
  if (is_mine) {
    sigaction(s->number, &s->previous, NULL);
    atomic_store(&installed[s->number], NULL);
    atomic_store(&s->is_removed, true);
  }
  pthread_mutex_unlock(&lock);
  if (is_mine) wake_signal(&s->wake);
}

_Static_assert(sizeof(sigset_t) <= sizeof(optrace_signal_mask), "a mask has room in it");

void optrace_signal_mask_set(int number, optrace_signal_mask *before) {
  sigset_t mask, old;
  pthread_sigmask(SIG_SETMASK, NULL, &old);
  sigfillset(&mask);
  sigdelset(&mask, SIGBUS);
  // With it Swift's runtime stops all threads when the program crashes.
  if (!sigismember(&old, SIGPROF)) sigdelset(&mask, SIGPROF);
  if (number) sigdelset(&mask, number);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  memcpy(before, &old, sizeof old);
}

void optrace_signal_mask_restore(const optrace_signal_mask *before) {
  sigset_t old;
  memcpy(&old, before, sizeof old);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}
