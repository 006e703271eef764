// System calls that wait and locks that others have: where they are told of and where not, with their words and holders, and that the calls
// do what they do without.
#if defined(__linux__) && defined(__clang__)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>

#include "../../Sources/COpTrace/base/own_lock.h"
#include "../../Sources/COpTrace/hooks/imports.h"
#include "../../Sources/COpTrace/operations/frames.h"
#include "../../Sources/COpTrace/records/buffers.h"
#include "../../Sources/COpTrace/waits/calls.h"
#include "../../Sources/COpTrace/waits/waits.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "hooked.h"
#include "libraries.h"
#include "reader.h"
#include "recording.h"

enum { work_number = 7 };

#define EXPECT_TEXT(text, wanted) \
  (strcmp(text, wanted) == 0 ? (void)0 : core_test_fail(__FILE__, __LINE__, "it is '%s' and not '%s'", text, wanted))

static void begin_work(uint32_t number) { frame_push_work((work){recording_current, number}); }
static void end_work(void) { optrace_frame_pop(); }

static optrace_recorder *begin(void) {
  optrace_recorder *recorder = hooked_begin(recording_begin("run.optrace", 0, 0, true), optrace_record_dispatch);
  // The thread is known.
  if (recorder) optrace_emit1(recorder, optrace_kind_execution_began, 1);
  return recorder;
}

typedef struct {
  size_t begun, over;
  uint32_t holder;     // By the last `signalled`.
  uint64_t object;
  char name[256];      // Of the last one's object.
} facts;

static facts facts_of(const trace *t, uint8_t kind, uint32_t subject) {
  facts found = {0};
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_signalled && optrace_unblocked_read(r->word[0]).kind == kind)
      found.holder = optrace_blocked_read(r->word[0], r->word[1]).thread;
    if (r->subject != subject || (r->kind != optrace_kind_blocked && r->kind != optrace_kind_unblocked)) continue;
    if (optrace_unblocked_read(r->word[0]).kind != kind) continue;
    found.begun += r->kind == optrace_kind_blocked;
    found.over += r->kind == optrace_kind_unblocked;
    found.object = optrace_unblocked_read(r->word[0]).object;
  }
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind != optrace_kind_object_named || optrace_object_named_read(r->word[1]).object != found.object) continue;
    snprintf(found.name, sizeof found.name, "%.*s", (int)r->length, (const char *)r->text);
  }
  return found;
}

static uint32_t thread_with(const trace *t, uint32_t tid) {
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_thread_named && (uint32_t)(r->word[0] >> 32) == tid) return r->subject;
  }
  return 0;
}

// ---- System calls ----------------------------------------------------------------------------------------------------

// Another thread acts once this one waits, and some milliseconds later.
typedef struct {
  thread_buffer *waiter;
  void (*act)(int file);
  int file;
} later;

static bool has_begun(void *waiter) { return wait_is_noted(&((thread_buffer *)waiter)->wait); }

static void sleep_unheard(uint32_t milliseconds) {
  const struct timespec length = {.tv_nsec = milliseconds * 1000000L};
  syscall(SYS_nanosleep, &length, NULL);
}

static void *act_later(void *context) {
  later *l = context;
  EXPECT(comes_true(has_begun, l->waiter));
  sleep_unheard(5);
  l->act(l->file);
  return NULL;
}

static pthread_t start(later *l) {
  pthread_t thread;
  l->waiter = buffer_find(recording_current);
  if (pthread_create(&thread, NULL, act_later, l) != 0) abort();
  return thread;
}

// The library's calls: a sanitizer takes those of the tests themselves, before a hook hears them.
typedef struct {
  ssize_t (*read)(int file, void *into, size_t size);
  ssize_t (*recv)(int file, void *into, size_t size, int flags);
  int (*poll)(struct pollfd *of, nfds_t count, int milliseconds);
} callers;

static bool find_callers(callers *found) {
  void *library = library_visited();
  if (!library) return false;
  found->read = (ssize_t(*)(int, void *, size_t))dlsym(library, "visit_read");
  found->recv = (ssize_t(*)(int, void *, size_t, int))dlsym(library, "visit_recv");
  found->poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(library, "visit_poll");
  return found->read && found->recv && found->poll;
}

static void write_one(int file) { EXPECT_EQUAL(syscall(SYS_write, file, "x", 1l), 1); }

TEST(a_call_that_waits_for_a_pipe_is_told_of) {
  callers by;
  REQUIRE(find_callers(&by));
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  int ends[2];
  char byte;
  REQUIRE(pipe(ends) == 0);
  write_one(ends[1]);
  begin_work(work_number);
  EXPECT_EQUAL(by.read(ends[0], &byte, 1), 1);  // This one does not wait.
  later l = {.act = write_one, .file = ends[1]};
  pthread_t other = start(&l);
  errno = EDOM;
  EXPECT_EQUAL(by.read(ends[0], &byte, 1), 1);
  EXPECT_EQUAL(errno, EDOM);
  end_work();
  pthread_join(other, NULL);
  trace t = hooked_end(recorder);
  facts found = facts_of(&t, optrace_object_call, work_number);
  EXPECT_EQUAL(found.begun, 1);
  EXPECT_EQUAL(found.over, 1);
  EXPECT_TEXT(found.name, "read from a pipe");
  trace_free(&t);
}

// As a container does, from before the recorder began.
static bool refuse_reading_of_memory(void) {
  struct sock_filter steps[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The recorder then reads memory by a file, with calls that its own hooks hear where it is linked into the program.
TEST(where_memory_cannot_be_read_by_the_call_waits_are_told_of_all_the_same) {
  callers by;
  REQUIRE(find_callers(&by));
  SKIP_IF(!is_emulated() && !refuse_reading_of_memory(), "this system has no filters");
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  int ends[2];
  char byte;
  REQUIRE(pipe(ends) == 0);
  begin_work(work_number);
  later l = {.act = write_one, .file = ends[1]};
  for (int i = 0; i < 2; i++) {
    pthread_t other = start(&l);
    EXPECT_EQUAL(by.read(ends[0], &byte, 1), 1);
    pthread_join(other, NULL);
  }
  end_work();
  trace t = hooked_end(recorder);
  facts found = facts_of(&t, optrace_object_call, work_number);
  EXPECT_EQUAL(found.begun, 2);
  EXPECT_EQUAL(found.over, 2);
  EXPECT_TEXT(found.name, "read from a pipe");
  trace_free(&t);
}

static struct { optrace_recorder *recorder; _Atomic(thread_buffer *) buffer; int set; } looking;

// As Foundation waits for a child process: the set is polled, and asked then.
static void *run_a_loop_in_work(void *library) {
  int (*visit_poll)(struct pollfd *, nfds_t, int) = (int (*)(struct pollfd *, nfds_t, int))dlsym(library, "visit_poll");
  int (*visit_events)(int) = (int (*)(int))dlsym(library, "visit_events");
  optrace_emit1(looking.recorder, optrace_kind_execution_began, 2);
  begin_work(work_number);
  atomic_store(&looking.buffer, buffer_find(looking.recorder));
  struct pollfd of = {.fd = looking.set, .events = POLLIN};
  for (int i = 0; i < 2; i++) {
    EXPECT_EQUAL(visit_poll(&of, 1, -1), 1);
    visit_events(looking.set);
  }
  end_work();
  return NULL;
}

static bool looks(void *unused) {
  (void)unused;
  return atomic_load(&looking.buffer) && has_begun(atomic_load(&looking.buffer));
}

TEST(a_run_loop_inside_of_work_blocks_it_and_is_no_loop_of_the_thread) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  // Not earlier: hooks would look for the real one's classes in it.
  void *library = library_as("libFoundation.so");
  REQUIRE(library);
  imports_patch(true);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  looking.recorder = recorder;
  looking.set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  REQUIRE(looking.set >= 0 && epoll_ctl(looking.set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, run_a_loop_in_work, library) == 0);
  EXPECT(comes_true(looks, NULL));
  sleep_unheard(5);
  write_one(ends[1]);
  pthread_join(thread, NULL);
  trace t = hooked_end(recorder);
  facts found = facts_of(&t, optrace_object_call, work_number);
  // The pipe stays readable, so the second time it does not wait.
  EXPECT_EQUAL(found.begun, 1);
  EXPECT_EQUAL(found.over, 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_loop_turns), 0);
  trace_free(&t);
}

static int listener(struct sockaddr_in *at) {
  socklen_t length = sizeof *at;
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (file < 0 || bind(file, (struct sockaddr *)at, sizeof *at) || listen(file, 1) || getsockname(file, (struct sockaddr *)at, &length))
    return -1;
  return file;
}

TEST(a_call_that_waits_for_a_peer_names_it) {
  callers by;
  REQUIRE(find_callers(&by));
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  struct sockaddr_in at;
  int server = listener(&at), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(server >= 0 && connect(client, (struct sockaddr *)&at, sizeof at) == 0);
  int peer = accept(server, NULL, NULL);
  char byte, wanted[64];
  snprintf(wanted, sizeof wanted, "recv from 127.0.0.1:%u", ntohs(at.sin_port));
  begin_work(work_number);
  later l = {.act = write_one, .file = peer};
  pthread_t other = start(&l);
  EXPECT_EQUAL(by.recv(client, &byte, 1, 0), 1);
  pthread_join(other, NULL);
  end_work();
  begin_work(work_number + 1);
  other = start(&l);
  struct pollfd one = {.fd = client, .events = POLLIN};
  EXPECT_EQUAL(by.poll(&one, 1, -1), 1);
  EXPECT_EQUAL(by.poll(&one, 1, 0), 1);
  pthread_join(other, NULL);
  end_work();
  trace t = hooked_end(recorder);
  facts received = facts_of(&t, optrace_object_call, work_number), polled = facts_of(&t, optrace_object_call, work_number + 1);
  EXPECT_EQUAL(received.begun, 1);
  EXPECT_TEXT(received.name, wanted);
  EXPECT_EQUAL(polled.begun, 1);
  snprintf(wanted, sizeof wanted, "poll of 127.0.0.1:%u", ntohs(at.sin_port));
  EXPECT_TEXT(polled.name, wanted);
  trace_free(&t);
}

TEST(a_poll_says_what_has_no_name) {
  callers by;
  REQUIRE(find_callers(&by));
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  int ends[2], set = epoll_create1(EPOLL_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  REQUIRE(set >= 0 && timer >= 0 && pipe2(ends, O_CLOEXEC) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  begin_work(work_number);
  later l = {.act = write_one, .file = ends[1]};
  pthread_t other = start(&l);
  EXPECT_EQUAL(by.poll(&(struct pollfd){.fd = set, .events = POLLIN}, 1, -1), 1);
  pthread_join(other, NULL);
  end_work();
  begin_work(work_number + 1);
  struct itimerspec in = {.it_value.tv_nsec = 20000000};
  REQUIRE(timerfd_settime(timer, 0, &in, NULL) == 0);
  EXPECT_EQUAL(by.poll(&(struct pollfd){.fd = timer, .events = POLLIN}, 1, -1), 1);
  end_work();
  trace t = hooked_end(recorder);
  EXPECT_TEXT(facts_of(&t, optrace_object_call, work_number).name, "poll of an epoll set");
  EXPECT_TEXT(facts_of(&t, optrace_object_call, work_number + 1).name, "poll of a timer");
  trace_free(&t);
  for (int end = 0; end < 2; end++) close(ends[end]);
  close(set);
  close(timer);
}

TEST(calls_outside_of_work_and_wrong_ones_are_as_without) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  int ends[2];
  char byte;
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    sleep_unheard(5);
    write_one(ends[1]);
    _exit(3);
  }
  REQUIRE(child > 0);
  int status = 0;
  EXPECT_EQUAL(read(ends[0], &byte, 1), 1);
  begin_work(work_number);
  EXPECT_EQUAL(read(-1, &byte, 1), -1);
  EXPECT_EQUAL(errno, EBADF);
  EXPECT_EQUAL(recv(ends[0], &byte, 1, 0), -1);
  EXPECT_EQUAL(errno, ENOTSOCK);
  EXPECT_EQUAL(waitpid(child, &status, 0), child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  EXPECT_EQUAL(waitpid(child, &status, 0), -1);
  EXPECT_EQUAL(errno, ECHILD);
  end_work();
  trace t = hooked_end(recorder);
  EXPECT(facts_of(&t, optrace_object_call, work_number).begun <= 1);
  EXPECT_EQUAL(facts_of(&t, optrace_object_call, 0).begun, 0);
  trace_free(&t);
}

TEST(descriptors_that_never_wait_are_known) {
  int ends[2], plain[2];
  REQUIRE(pipe2(ends, O_NONBLOCK) == 0 && pipe(plain) == 0);
  errno = EDOM;
  EXPECT(call_never_waits(call_object(call_read, (uint32_t)ends[0])));
  EXPECT(call_never_waits(call_object(call_send, (uint32_t)ends[1])));
  EXPECT(!call_never_waits(call_object(call_read, (uint32_t)plain[0])));
  // These wait whatever the flag says, or have no descriptor.
  EXPECT(!call_never_waits(call_object(call_poll, (uint32_t)ends[0])));
  EXPECT(!call_never_waits(call_object(call_flock, (uint32_t)ends[0])));
  EXPECT(!call_never_waits(call_object(call_select, call_without_file)));
  close(ends[0]);
  EXPECT(!call_never_waits(call_object(call_read, (uint32_t)ends[0])));
  EXPECT(!call_never_waits(waited_object(&ends, optrace_object_mutex)));
  EXPECT_EQUAL(errno, EDOM);
}

// A handler may have interrupted the recorder.
static int handlers_pipe[2];
static callers handlers_callers;

static void read_in_handler(int number) {
  (void)number;
  char byte;
  begin_work(work_number);
  EXPECT_EQUAL(handlers_callers.read(handlers_pipe[0], &byte, 1), 1);
  end_work();
}

TEST(a_signal_handler_records_nothing) {
  REQUIRE(find_callers(&handlers_callers));
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  REQUIRE(pipe(handlers_pipe) == 0);
  struct sigaction action = {.sa_handler = read_in_handler};
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
  later l = {.act = write_one, .file = handlers_pipe[1]};
  pthread_t other = start(&l);
  raise(SIGUSR1);
  pthread_join(other, NULL);
  trace t = hooked_end(recorder);
  // Only the flusher may have told of it, while it lasted.
  uint32_t own = thread_with(&t, optrace_thread_id());
  for (size_t i = 0; i < t.count; i++)
    EXPECT(t.records[i].thread != own || (t.records[i].kind != optrace_kind_blocked && t.records[i].kind != optrace_kind_unblocked));
  trace_free(&t);
}

// ---- Locks -------------------------------------------------------------------------------------------------------------

enum { is_mutex, is_reader, is_writer, is_word, lock_ways };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic uint32_t word;
static uint32_t holder_tid;
static _Atomic bool is_held;

static void take(int way) {
  uint32_t none = 0;
  switch (way) {
    case is_mutex: EXPECT_EQUAL(pthread_mutex_lock(&mutex), 0); break;
    case is_reader: EXPECT_EQUAL(pthread_rwlock_rdlock(&rwlock), 0); break;
    case is_writer: EXPECT_EQUAL(pthread_rwlock_wrlock(&rwlock), 0); break;
    // As Swift's `Mutex` does.
    default:
      if (!atomic_compare_exchange_strong(&word, &none, (uint32_t)syscall(SYS_gettid)))
        EXPECT_EQUAL(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0);
  }
}

static void leave(int way) {
  uint32_t own = (uint32_t)syscall(SYS_gettid);
  if (way == is_mutex) EXPECT_EQUAL(pthread_mutex_unlock(&mutex), 0);
  else if (way != is_word) EXPECT_EQUAL(pthread_rwlock_unlock(&rwlock), 0);
  else if (!atomic_compare_exchange_strong(&word, &own, 0)) EXPECT_EQUAL(syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0);
}

typedef struct {
  int way;
  thread_buffer *waiter;
  _Atomic bool is_over;
} hold;

static bool is_over(void *context) { return atomic_load(&((hold *)context)->is_over); }

static void *hold_for_a_while(void *context) {
  hold *h = context;
  holder_tid = optrace_thread_id();
  optrace_emit1(recording_current, optrace_kind_execution_began, 2);
  take(h->way == is_reader ? is_writer : h->way);
  atomic_store(&is_held, true);
  EXPECT(comes_true(has_begun, h->waiter));
  sleep_unheard(5);
  leave(h->way == is_reader ? is_writer : h->way);
  // The system may give its id to another thread once it has ended.
  EXPECT(comes_true(is_over, h));
  return NULL;
}

static bool holds(void *unused) { return (void)unused, atomic_load(&is_held); }

static const uint8_t kinds[] = {optrace_object_mutex, optrace_object_rwlock, optrace_object_rwlock, optrace_object_inheriting};

TEST(a_lock_that_another_thread_has_is_told_of_with_its_holder) {
  for (int way = 0; way < lock_ways; way++) {
    optrace_recorder *recorder = begin();
    REQUIRE(recorder);
    begin_work(work_number);
    take(way);  // Free.
    leave(way);
    end_work();
    atomic_store(&is_held, false);
    hold h = {.way = way, .waiter = buffer_find(recorder)};
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, hold_for_a_while, &h) == 0);
    EXPECT(comes_true(holds, NULL));
    begin_work(work_number);
    take(way);
    leave(way);
    end_work();
    atomic_store(&h.is_over, true);
    pthread_join(other, NULL);
    trace t = hooked_end(recorder);
    facts found = facts_of(&t, kinds[way], work_number);
    EXPECT_EQUAL(found.begun, 1);
    EXPECT_EQUAL(found.over, 1);
    EXPECT(found.holder && found.holder == thread_with(&t, holder_tid));
    trace_free(&t);
  }
}

// As Swift's `once` does without end, where two initialisers wait for each other.
TEST(a_futex_that_the_system_refuses_is_noted_once) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  begin_work(work_number);
  _Atomic uint32_t own = (uint32_t)syscall(SYS_gettid);
  thread_buffer *buffer = buffer_find(recorder);
  uint64_t states[2];
  for (int i = 0; i < 5; i++) {
    EXPECT_EQUAL(syscall(SYS_futex, &own, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), -1);
    EXPECT_EQUAL(errno, EDEADLK);
    states[i > 0] = atomic_load(&buffer->wait.state);
  }
  EXPECT_EQUAL(states[1], states[0]);
  end_work();
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), 0);
  trace_free(&t);
}

TEST(locks_of_each_type_answer_as_without) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  begin_work(work_number);
  const int types[] = {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
  for (int i = 0; i < 2; i++) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[i]);
    pthread_mutex_init(&lock, &attributes);
    EXPECT_EQUAL(pthread_mutex_lock(&lock), 0);
    EXPECT_EQUAL(pthread_mutex_lock(&lock), i == 0 ? EDEADLK : 0);
    if (i == 1) pthread_mutex_unlock(&lock);
    EXPECT_EQUAL(pthread_mutex_unlock(&lock), 0);
    EXPECT_EQUAL(pthread_mutex_unlock(&lock), EPERM);
    pthread_mutex_destroy(&lock);
  }
  EXPECT_EQUAL(pthread_rwlock_wrlock(&rwlock), 0);
  EXPECT_EQUAL(pthread_rwlock_wrlock(&rwlock), EDEADLK);
  EXPECT_EQUAL(pthread_rwlock_rdlock(&rwlock), EDEADLK);
  EXPECT_EQUAL(pthread_rwlock_unlock(&rwlock), 0);
  end_work();
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), 0);
  trace_free(&t);
}

static void *hold_own(void *waiter) {
  own_lock(&recording_current->lock);
  atomic_store(&is_held, true);
  sleep_unheard(5);
  pthread_mutex_unlock(&recording_current->lock);
  return waiter;
}

TEST(a_lock_of_the_recorder_is_not_told_of) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  atomic_store(&is_held, false);
  pthread_t other;
  REQUIRE(pthread_create(&other, NULL, hold_own, NULL) == 0);
  EXPECT(comes_true(holds, NULL));
  begin_work(work_number);
  own_lock(&recorder->lock);
  pthread_mutex_unlock(&recorder->lock);
  end_work();
  pthread_join(other, NULL);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), 0);
  trace_free(&t);
}
#endif
