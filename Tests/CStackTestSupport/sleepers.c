#if defined(__linux__)
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/locks.h"
#include "../../Sources/COpTrace/stacks/moment.h"
#include "../../Sources/COpTrace/stacks/threads.h"
#include "COpTrace.h"
#include "CStackTestSupport.h"
#include "shapes.h"

uint32_t test_thread_id(void) { return optrace_thread_id(); }

// ---- What is seen of one thread

typedef struct {
  uint32_t id;
  thread_seen seen;
  bool found;
} wanted;

static void look_for(void *context, const thread_seen *thread) {
  wanted *w = context;
  if (thread->id != w->id) return;
  w->seen = *thread;
  w->found = true;
}

// One may look at a time, and tests run beside each other.
static threads_status look(const threads_options *options, void (*see)(void *, const thread_seen *), void *context, threads_count *count) {
  threads_status status;
  while ((status = threads_visit(options, see, context, count)) == threads_busy) usleep(100);
  return status;
}

bool test_see(uint32_t id, test_seen *out) {
  wanted w = {.id = id};
  threads_options options = {0};
  locks_prepare();
  if (look(&options, look_for, &w, NULL) != threads_visited || !w.found) return false;
  sleep_reason reason = locks_explain(w.seen.call, w.seen.arguments);
  *out = (test_seen){.kind = (int)reason.kind, .call = reason.call, .lock = reason.lock, .owner = reason.owner,
                     .owner_ended = reason.owner_ended, .state = w.seen.state, .is_running = w.seen.is_running,
                     .cpu = w.seen.cpu, .depth = w.seen.depth, .guessed = w.seen.guessed};
  memcpy(out->name, w.seen.name, sizeof out->name);
  memcpy(out->pcs, w.seen.pcs, sizeof out->pcs);
  return true;
}

__attribute__((noinline)) void test_take_stack(test_stack *out) {
  out->id = test_thread_id();
  out->count = unwinder_walk(out->pcs, sizeof out->pcs / 8);
}

const char *test_compare(const test_seen *seen, const test_stack *taken) {
  size_t most = sizeof seen->pcs / 8;
  if (seen->depth < 2) return complain("it has %u frames", seen->depth);
  // What it has called since comes first. What is guessed may be wrong; what comes before that is not.
  size_t sure = seen->guessed;
  for (size_t more = 1; more < 16; more++) {
    if (more >= sure) return sure < seen->depth ? NULL : complain("its %u frames do not end in the unwinder's %zu", seen->depth, taken->count);
    size_t rest = sure - more, count = taken->count;
    if (rest > count || memcmp(seen->pcs + more, taken->pcs, rest * 8) != 0) continue;
    if (rest == count || sure < seen->depth || seen->depth == most) return NULL;
  }
  return complain("frames before the guessed %u of %u are not the unwinder's", seen->guessed, seen->depth);
}

// ---- Threads that sleep

typedef struct {
  const char *name;
  const char *call;
  sleep_kind kind;
  bool has_owner;
  void (*begin)(void);    // By the thread that looks.
  void (*sleep)(void);    // By the one that is looked at.
  void (*wake)(pthread_t thread);
  const void *(*lock)(void);
} way;

static sem_t semaphore;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t rwlock;
static _Atomic bool is_over;
static int ends[2];
static pthread_t other;

static const void *at_mutex(void) { return &mutex; }
static const void *at_rwlock(void) { return &rwlock; }
static const void *nowhere(void) { return NULL; }

static void begin_semaphore(void) { sem_init(&semaphore, 0, 0); }
static void sleep_semaphore(void) {
  while (sem_wait(&semaphore) != 0) {}
}
static void wake_semaphore(pthread_t thread) {
  (void)thread;
  sem_post(&semaphore);
}
static void sleep_semaphore_timed(void) {
  struct timespec until = {.tv_sec = time(NULL) + 3600};
  while (sem_timedwait(&semaphore, &until) != 0) {}
}

static void init_mutex(int type, int protocol, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutex_lock(&mutex);
}
static void begin_mutex(void) { init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED); }
static void begin_recursive(void) {
  init_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  pthread_mutex_lock(&mutex);
}
static void begin_checked(void) { init_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED); }
static void begin_adaptive(void) { init_mutex(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED); }
static void begin_inheriting(void) { init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED); }
static void begin_robust(void) { init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST); }
static void sleep_mutex_locked(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void sleep_mutex_timed(void) {
  struct timespec until = {.tv_sec = time(NULL) + 3600};
  pthread_mutex_timedlock(&mutex, &until);
  pthread_mutex_unlock(&mutex);
}
static void wake_mutex(pthread_t thread) {
  (void)thread;
  pthread_mutex_unlock(&mutex);
}
static void wake_recursive(pthread_t thread) {
  wake_mutex(thread);
  wake_mutex(thread);
}

static void begin_condition(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&condition, NULL);
}
static void sleep_condition(void) {
  pthread_mutex_lock(&mutex);
  while (!is_over) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}
static void wake_condition(pthread_t thread) {
  (void)thread;
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}

static void begin_written(void) {
  pthread_rwlock_init(&rwlock, NULL);
  pthread_rwlock_wrlock(&rwlock);
}
static void begin_read(void) {
  pthread_rwlock_init(&rwlock, NULL);
  pthread_rwlock_rdlock(&rwlock);
}
static void sleep_reader(void) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
}
static void sleep_writer(void) {
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
}
static void wake_rwlock(pthread_t thread) {
  (void)thread;
  pthread_rwlock_unlock(&rwlock);
}

static void begin_pipe(void) {
  if (pipe(ends) != 0) abort();
}
static void sleep_poll_(void) {
  struct pollfd one = {.fd = ends[0], .events = POLLIN};
  while (poll(&one, 1, -1) != 1) {}
}
static void sleep_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  select(ends[0] + 1, &set, NULL, NULL, NULL);
}
static void sleep_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  int file = epoll_create1(EPOLL_CLOEXEC);
  epoll_ctl(file, EPOLL_CTL_ADD, ends[0], &event);
  while (epoll_wait(file, &event, 1, -1) != 1) {}
  close(file);
}
static void sleep_read(void) {
  char byte;
  while (read(ends[0], &byte, 1) != 1) {}
}
static void wake_pipe(pthread_t thread) {
  (void)thread;
  if (write(ends[1], "x", 1) != 1) abort();
}

static void ignore(int number) { (void)number; }
static void begin_time(void) {
  struct sigaction action = {.sa_handler = ignore};
  sigaction(SIGWINCH, &action, NULL);
}
static void sleep_time_(void) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGWINCH);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  struct timespec hour = {3600, 0};
  while (!is_over) nanosleep(&hour, NULL);
}
static void wake_time(pthread_t thread) { pthread_kill(thread, SIGWINCH); }

static _Atomic uint32_t other_id;
static void *wait_for_semaphore(void *unused) {
  other_id = test_thread_id();
  sleep_semaphore();
  return unused;
}
static void begin_join(void) {
  begin_semaphore();
  other_id = 0;
  pthread_create(&other, NULL, wait_for_semaphore, NULL);
  while (!other_id) usleep(100);
}
static void sleep_join_(void) { pthread_join(other, NULL); }

static const way ways[] = {
    {"semaphore", "futex", sleep_futex, false, begin_semaphore, sleep_semaphore, wake_semaphore, nowhere},
    {"semaphore with a time", "futex", sleep_futex, false, begin_semaphore, sleep_semaphore_timed, wake_semaphore, nowhere},
    {"condition", "futex", sleep_futex, false, begin_condition, sleep_condition, wake_condition, nowhere},
    {"mutex", "futex", sleep_mutex, true, begin_mutex, sleep_mutex_locked, wake_mutex, at_mutex},
    {"mutex with a time", "futex", sleep_mutex, true, begin_mutex, sleep_mutex_timed, wake_mutex, at_mutex},
    {"recursive mutex", "futex", sleep_mutex, true, begin_recursive, sleep_mutex_locked, wake_recursive, at_mutex},
    {"error-checking mutex", "futex", sleep_mutex, true, begin_checked, sleep_mutex_locked, wake_mutex, at_mutex},
    {"adaptive mutex", "futex", sleep_mutex, true, begin_adaptive, sleep_mutex_locked, wake_mutex, at_mutex},
    {"priority-inheriting mutex", "futex", sleep_inheriting, true, begin_inheriting, sleep_mutex_locked, wake_mutex, at_mutex},
    {"robust mutex", "futex", sleep_owned_word, true, begin_robust, sleep_mutex_locked, wake_mutex, at_mutex},
    {"reader behind a writer", "futex", sleep_rwlock_writer, true, begin_written, sleep_reader, wake_rwlock, at_rwlock},
    {"writer behind a writer", "futex", sleep_rwlock_writer, true, begin_written, sleep_writer, wake_rwlock, at_rwlock},
    {"writer behind a reader", "futex", sleep_rwlock_readers, false, begin_read, sleep_writer, wake_rwlock, at_rwlock},
    {"join", "futex", sleep_join, true, begin_join, sleep_join_, wake_semaphore, nowhere},
    {"poll", "poll", sleep_poll, false, begin_pipe, sleep_poll_, wake_pipe, nowhere},
    {"select", "pselect6", sleep_poll, false, begin_pipe, sleep_select, wake_pipe, nowhere},
    {"epoll", "epoll_wait", sleep_poll, false, begin_pipe, sleep_epoll, wake_pipe, nowhere},
    {"read", "read", sleep_input, false, begin_pipe, sleep_read, wake_pipe, nowhere},
    {"nanosleep", "clock_nanosleep", sleep_time, false, begin_time, sleep_time_, wake_time, nowhere},
};

int test_sleep_ways(void) { return (int)(sizeof ways / sizeof *ways); }
const char *test_sleep_way(int which) { return ways[which].name; }

typedef struct {
  const way *way;
  uint64_t seed;
  test_stack stack;
  _Atomic uint32_t id;
  pthread_t thread;
} sleeper;

static __attribute__((noinline)) void sleep_leaf(void *context) {
  sleeper *s = context;
  test_take_stack(&s->stack);
  s->id = s->stack.id;
  s->way->sleep();
  __asm__ volatile("" ::: "memory");
}

static void *fall_asleep(void *argument) {
  sleeper *s = argument;
  shapes_call(s->seed, (int)(s->seed % 9), sleep_leaf, s);
  return NULL;
}

static const char *compare_leaf(const test_seen *seen, const test_stack *taken) {
  // The unwinder was asked by the leaf, from one place; it sleeps in another: all behind it is the same.
  test_stack behind = {.count = taken->count - 1};
  memcpy(behind.pcs, taken->pcs + 1, behind.count * 8);
  return test_compare(seen, &behind);
}

static const char *look_at_sleeper(sleeper *s) {
  test_seen seen;
  for (int i = 0; i < 60000; i++, usleep(1000)) {
    if (!s->id || !test_see(s->id, &seen) || seen.is_running || seen.state != 'S' || !seen.depth) continue;
    if (!seen.call || seen.kind != (int)s->way->kind || strncmp(seen.call, s->way->call, 4) != 0) {
      // It may still be on the way there.
      if (i < 2000) continue;
      return complain("it sleeps in %s, of kind %d", seen.call ? seen.call : "nothing known", seen.kind);
    }
    uint32_t owner = !s->way->has_owner ? 0 : s->way->kind == sleep_join ? other_id : test_thread_id();
    if (seen.owner != owner || seen.owner_ended) return complain("the owner is %u and not %u", seen.owner, owner);
    if (s->way->lock() && seen.lock != (uint64_t)(uintptr_t)s->way->lock()) return "the lock is another one";
    const char *wrong = compare_leaf(&seen, &s->stack);
    // What sem_wait has saved tells all; elsewhere a function that keeps bp, and was called by a pointer, is not found for sure.
    if (!wrong && s->way->begin == begin_semaphore && seen.guessed != seen.depth) wrong = "a frame is guessed";
    if (wrong && i < 2000) continue;
    return wrong;
  }
  return "it does not fall asleep";
}

const char *test_sleeper(int which, uint64_t seed) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  static sleeper s;
  s = (sleeper){.way = &ways[which], .seed = seed};
  is_over = false;
  s.way->begin();
  if (pthread_create(&s.thread, NULL, fall_asleep, &s) != 0) abort();
  const char *result = look_at_sleeper(&s);
  is_over = true;
  s.way->wake(s.thread);
  pthread_join(s.thread, NULL);
  if (s.way->begin == begin_pipe) {
    close(ends[0]);
    close(ends[1]);
  }
  // What is over has no owner any more.
  if (!result && s.way->lock()) {
    uint64_t arguments[6] = {(uint64_t)(uintptr_t)s.way->lock() + (s.way->lock == at_rwlock ? 8 : 0), 128, s.way->lock == at_rwlock ? 3 : 2};
    sleep_reason reason = locks_explain(SYS_futex, arguments);
    if (reason.owner) result = "a lock that nobody has, has an owner";
  }
  pthread_mutex_unlock(&one_at_a_time);
  return result;
}

const char *test_locks_hostile(uint64_t seed) {
  uint64_t random = seed;
  uint32_t words[16];
  locks_prepare();
  for (int i = 0; i < 20000; i++) {
    for (int k = 0; k < 16; k++) words[k] = (uint32_t)(next_random(&random) % (next_random(&random) % 2 ? 4 : UINT32_MAX));
    uint64_t arguments[6];
    for (int k = 0; k < 6; k++) arguments[k] = next_random(&random);
    if (i % 2) arguments[0] = (uint64_t)(uintptr_t)(words + 4 + next_random(&random) % 8);
    arguments[1] = next_random(&random) % 16 | (i % 4 ? 128 : 0);
    if (i % 2) memcpy(&arguments[2], (void *)(uintptr_t)arguments[0], 4), arguments[2] &= UINT32_MAX;
    sleep_reason reason = locks_explain(i % 16 ? SYS_futex : (int32_t)next_random(&random), arguments);
    if (reason.owner && reason.owner > 0x3FFFFFFF) return "an owner is no thread's number";
  }
  return NULL;
}

static void *lock_and_end(void *unused) {
  other_id = test_thread_id();
  pthread_mutex_lock(&mutex);
  return unused;
}

const char *test_owner_ended(void) {
  sleeper s = {.way = &ways[3], .seed = 3};
  test_seen seen = {0};
  pthread_mutex_init(&mutex, NULL);
  pthread_create(&other, NULL, lock_and_end, NULL);
  pthread_join(other, NULL);
  pthread_create(&s.thread, NULL, fall_asleep, &s);
  for (int i = 0; i < 60000 && !(s.id && test_see(s.id, &seen) && seen.kind == sleep_mutex && seen.owner_ended); i++) usleep(1000);
  pthread_mutex_unlock(&mutex);
  pthread_join(s.thread, NULL);
  return seen.owner == other_id && seen.owner_ended ? NULL : complain("the owner is %u, and not %u that has ended", seen.owner, other_id);
}

// ---- Many threads, and such that end

typedef struct {
  uint32_t threads, sleeping, with_stack;
  sem_t *gate;
} crowd;

static void count_thread(void *context, const thread_seen *thread) {
  crowd *c = context;
  c->threads++;
  if (!thread->is_running && thread->call == SYS_futex && strcmp(thread->name, "crowd") == 0) {
    c->sleeping++;
    c->with_stack += thread->depth > 2 && thread->guessed == thread->depth;  // Nothing there needs a guess.
  }
}

static void *stand(void *gate) {
  pthread_setname_np(pthread_self(), "crowd");
  while (sem_wait(gate) != 0) {}
  return NULL;
}

const char *test_crowd(int threads) {
  sem_t gate;
  sem_init(&gate, 0, 0);
  pthread_t *all = malloc((size_t)threads * sizeof *all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  int made = 0;
  while (made < threads && pthread_create(&all[made], &attributes, stand, &gate) == 0) made++;
  crowd seen;
  threads_options options = {.but = test_thread_id()};
  const char *result = NULL;
  for (int i = 0; i < 10000; i++) {
    seen = (crowd){0};
    threads_count count;
    if (look(&options, count_thread, &seen, &count) != threads_visited) result = "there is no look";
    if (count.seen != seen.threads || count.refused) result = complain("%u of %u are counted, %u refused", seen.threads, count.seen, count.refused);
    if (result || (seen.sleeping == (uint32_t)made && seen.with_stack == seen.sleeping)) break;
    usleep(1000);
  }
  if (!result && (made < threads / 2 || seen.with_stack != (uint32_t)made))
    result = complain("%u of %d have a stack, %u sleep", seen.with_stack, made, seen.sleeping);
  for (int i = 0; i < made; i++) sem_post(&gate);
  for (int i = 0; i < made; i++) pthread_join(all[i], NULL);
  pthread_attr_destroy(&attributes);
  free(all);
  return result;
}

static _Atomic bool is_stopped;

static void *end_at_once(void *unused) { return unused; }

static void *begin_threads(void *unused) {
  pthread_t one;
  while (!is_stopped)
    if (pthread_create(&one, NULL, end_at_once, NULL) == 0) pthread_join(one, NULL);
  return unused;
}

// Calls and returns without end, through functions of all kinds.
static void leave(void *unused) { (void)unused; }
static void *run_about(void *argument) {
  for (uint64_t i = (uint64_t)(uintptr_t)argument; !is_stopped; i++) shapes_call(i, 5, leave, NULL);
  return NULL;
}

static uint64_t used;

static void check_thread(void *context, const thread_seen *thread) {
  const char **result = context;
  if (thread->depth > threads_deepest || thread->guessed > thread->depth || !thread->id) *result = "a thread is told wrong";
  if (thread->is_running && (thread->depth || thread->call != -1)) *result = "a thread that runs has a stack";
  used += thread->cpu;
}

const char *test_unrest(int rounds) {
  pthread_t makers[2], runners[2];
  const char *result = NULL;
  is_stopped = false;
  for (int i = 0; i < 2; i++) {
    pthread_create(&makers[i], NULL, begin_threads, NULL);
    pthread_create(&runners[i], NULL, run_about, (void *)(uintptr_t)(i + 1));
  }
  threads_options options = {.stack_bytes = 4096, .most_frames = 20};
  for (int i = 0; i < rounds && !result; i++)
    if (look(&options, check_thread, &result, NULL) != threads_visited) result = "there is no look";
  is_stopped = true;
  for (int i = 0; i < 2; i++) {
    pthread_join(makers[i], NULL);
    pthread_join(runners[i], NULL);
  }
  if (!result && !used) result = "nobody has used any time";
  return result;
}

// ---- One moment

typedef struct {
  sem_t gate, ending;
  _Atomic uint32_t moving, staying;   // The threads' ids.
  _Atomic bool has_run;
  bool wake;
  moment_thread moved, stayed;
} pair;

static void *move(void *argument) {
  pair *p = argument;
  p->moving = test_thread_id();
  while (sem_wait(&p->gate) != 0) {}
  p->has_run = true;
  while (sem_wait(&p->ending) != 0) {}
  return NULL;
}

static void *stay(void *argument) {
  ((pair *)argument)->staying = test_thread_id();
  sleep_mutex_locked();
  return NULL;
}

static void let_run(void *context) {
  pair *p = context;
  if (!p->wake) return;
  sem_post(&p->gate);
  while (!p->has_run) usleep(100);
}

static uint32_t any_stack_id(void *context, const thread_seen *seen) {
  (void)context;
  return seen->depth;
}

static void note_pair(void *context, const moment_thread *thread) {
  pair *p = context;
  if (thread->id == p->moving) p->moved = *thread;
  if (thread->id == p->staying) p->stayed = *thread;
}

static bool is_in(const moment_thread *thread, sleep_kind kind) {
  return thread->is_still && thread->stack && thread->call == SYS_futex && thread->reason.kind == kind;
}

static const char *look_at_pair(pair *p, threads_count *count) {
  threads_options options = {.but = test_thread_id()};
  const moment_calls calls = {.stack_id = any_stack_id, .report = note_pair, .between = let_run, .context = p};
  p->moved = p->stayed = (moment_thread){0};
  threads_status status;
  while ((status = moment_take(&options, &calls, count)) == threads_busy) usleep(100);
  if (status != threads_visited) return "there is no look";
  return is_in(&p->stayed, sleep_mutex) && p->stayed.reason.owner == test_thread_id() ? NULL : "who stays in a mutex is not told so";
}

const char *test_moment(void) {
  pair p = {0};
  pthread_t threads[2];
  threads_count count = {0};
  locks_prepare();
  init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  sem_init(&p.gate, 0, 0);
  sem_init(&p.ending, 0, 0);
  pthread_create(&threads[0], NULL, move, &p);
  pthread_create(&threads[1], NULL, stay, &p);
  const char *result = "they do not fall asleep";
  for (int i = 0; i < 60000 && result; i++, usleep(1000)) {
    result = p.moving && p.staying ? look_at_pair(&p, &count) : "they do not begin";
    if (!result && !is_in(&p.moved, sleep_futex)) result = "who has not run yet is not told so";
  }
  p.wake = true;
  if (!result) result = look_at_pair(&p, &count);
  if (!result && (p.moved.is_still || p.moved.call != -1 || p.moved.stack || p.moved.reason.kind != sleep_unknown))
    result = "of one that has run meanwhile is told what it slept in before";
  if (!result && (!count.moved || !p.moved.state || p.moved.is_running)) result = "who has moved is not counted, or has no state";
  sem_post(&p.gate);
  sem_post(&p.ending);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return result;
}

static void see_self(void *context, const thread_seen *thread) {
  if (thread->id != test_thread_id()) return;
  const char **result = context;
  *result = thread->is_running && thread->state == 'R' && thread->depth == 0
                ? NULL
                : complain("who looks is in state %c, with %u frames", thread->state, thread->depth);
  threads_options options = {0};
  if (threads_visit(&options, see_self, context, NULL) != threads_busy) *result = "two look at once";
}

const char *test_look_at_self(void) {
  const char *result = "it does not see itself";
  threads_options options = {0};
  if (look(&options, see_self, &result, NULL) != threads_visited) return "there is no look";
  if (result) return result;
  // A child, too, where a thread of the parent looks.
  pid_t child = fork();
  if (child == 0) _exit(threads_visit(&options, see_self, &result, NULL) == threads_visited && !result ? 0 : 1);
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? NULL : "a child can't look";
}
#endif
