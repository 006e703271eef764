// Threads that sleep or wait for a disk: where they are told of and where not, their stacks, and that the calls do what they do without.
#if defined(__linux__) && defined(__clang__)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/COpTrace/hooks/sleeping.h"
#include "../../Sources/COpTrace/operations/frames.h"
#include "../../Sources/COpTrace/records/buffers.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "hooked.h"
#include "libraries.h"
#include "reader.h"
#include "recording.h"

enum { milliseconds = 1000000, work_number = 7 };

// ---- What the program does -----------------------------------------------------------------------------------------

// In a section of their own: its addresses tell them.
extern const char __start_nappers[], __stop_nappers[];
enum { by_usleep, by_nanosleep, by_clock_nanosleep, ways };

__attribute__((noinline, section("nappers"))) static int nap(int way, uint32_t time) {
  const struct timespec length = {.tv_nsec = time * (long)milliseconds};
  int result = way == by_usleep ? usleep(time * 1000) : way == by_nanosleep ? nanosleep(&length, NULL)
               : clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
  __asm__ volatile("" ::: "memory");
  return result;
}

static void begin_work(uint32_t number) { frame_push_work((work){recording_current, number}); }
static void end_work(void) { optrace_frame_pop(); }

// Not by any of the hooked calls.
static void sleep_unheard(uint32_t time) {
  const struct timespec length = {.tv_nsec = time * (long)milliseconds};
  syscall(SYS_nanosleep, &length, NULL);
}

// ---- Recording -----------------------------------------------------------------------------------------------------

static optrace_recorder *begin(void) {
  return hooked_begin(recording_begin("run.optrace", 0, 0, true), optrace_record_dispatch);
}

static const record *find(const trace *t, uint8_t kind, uint32_t subject) {
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == kind && t->records[i].subject == subject) return &t->records[i];
  return NULL;
}

// Whether one of a stack's frames is in a function that naps.
static bool leads_to_nap(const trace *t, uint32_t id) {
  const record *frame = find(t, optrace_kind_frame, id);
  for (int depth = 0; frame && depth < 1000; depth++) {
    optrace_frame_fields fields = optrace_frame_read(frame->word[0], frame->word[1]);
    const record *r = find(t, optrace_kind_image, fields.image);
    optrace_image image;
    uint8_t path[optrace_longest_path];
    uint64_t base = r ? optrace_image_read(r->word[0], r->word[1]).page * optrace_format_image_page : 0;
    if (r && optrace_image_find(base, &image, path)) {
      uint64_t address = fields.offset + image.bias;
      if (address >= (uint64_t)(uintptr_t)__start_nappers && address <= (uint64_t)(uintptr_t)__stop_nappers) return true;
    }
    frame = fields.caller ? find(t, optrace_kind_frame, fields.caller) : NULL;
  }
  return false;
}

typedef struct {
  size_t begun, over, signals, with_stack;
  uint32_t thread;   // The last one that waited.
  uint64_t objects;  // The last address.
} wait_facts;

// Of one kind of object and one work.
static wait_facts facts_of(const trace *t, uint8_t kind, uint32_t subject) {
  wait_facts facts = {0};
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    facts.signals += r->kind == optrace_kind_signalled;
    if (r->subject != subject || (r->kind != optrace_kind_blocked && r->kind != optrace_kind_unblocked)) continue;
    if (optrace_unblocked_read(r->word[0]).kind != kind) continue;
    if (r->kind == optrace_kind_unblocked) {
      facts.over++;
      continue;
    }
    optrace_blocked_fields fields = optrace_blocked_read(r->word[0], r->word[1]);
    facts.begun++;
    facts.thread = fields.thread ? fields.thread : r->thread;
    facts.objects = fields.object;
    facts.with_stack += i + 1 < t->count && r[1].kind == optrace_kind_stood_at && leads_to_nap(t, r[1].subject);
  }
  return facts;
}

static uint32_t thread_with(const trace *t, uint32_t tid) {
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_thread_named && (uint32_t)(r->word[0] >> 32) == tid) return r->subject;
  }
  return 0;
}

// ---- Where -----------------------------------------------------------------------------------------------------------

TEST(sleeps_inside_of_work_are_waits_with_stacks) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  // The thread is known, and sleeps outside of work.
  optrace_emit1(recorder, optrace_kind_execution_began, 1);
  for (int way = 0; way < ways; way++) EXPECT_EQUAL(nap(way, 3), 0);
  begin_work(work_number);
  for (int way = 0; way < ways; way++) {
    errno = EDOM;
    EXPECT_EQUAL(nap(way, 3), 0);
    EXPECT_EQUAL(errno, EDOM);
  }
  // These last until the recorder's own thread tells of them.
  for (int way = 0; way < ways; way++) EXPECT_EQUAL(nap(way, 150), 0);
  EXPECT_EQUAL(sleep(1), 0);
  end_work();
  for (int way = 0; way < ways; way++) EXPECT_EQUAL(nap(way, 3), 0);
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, work_number);
  EXPECT_EQUAL(facts.begun, 2 * ways + 1);
  EXPECT_EQUAL(facts.over, facts.begun);
  EXPECT_EQUAL(facts.with_stack, 2 * ways);
  EXPECT_EQUAL(facts.signals, 0);
  EXPECT_EQUAL(facts.objects, 1);
  EXPECT_EQUAL(facts.thread, thread_with(&t, optrace_thread_id()));
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), facts.begun);
  trace_free(&t);
}

static uint32_t loop_tid;

static void run_loop(int which) {
  (void)which;
  loop_tid = optrace_thread_id();
  int set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event;
  nap(by_usleep, 3);
  for (int i = 0; i < 4; i++) {
    EXPECT_EQUAL(epoll_wait(set, &event, 1, 0), 0);
    if (i == 1) nap(by_usleep, 3);
    if (i == 2) nap(by_nanosleep, 150);
  }
  close(set);
}

TEST(sleeps_in_the_turn_of_a_loop_are_waits_of_its_thread) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  on_threads(1, run_loop);
  nap(by_usleep, 3);
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, 0);
  EXPECT_EQUAL(facts.begun, 2);
  EXPECT_EQUAL(facts.over, 2);
  EXPECT_EQUAL(facts.with_stack, 2);
  EXPECT(facts.thread && facts.thread == thread_with(&t, loop_tid));
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), 2);
  trace_free(&t);
}

// By the name of the file that calls.
TEST(sleeps_of_libdispatch_are_not_the_programs) {
  void *library = library_as("libdispatch.so");
  REQUIRE(library);
  int (*visit_time)(unsigned) = (int (*)(unsigned))dlsym(library, "visit_time");
  REQUIRE(visit_time);
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  begin_work(work_number);
  EXPECT_EQUAL(visit_time(5000), 1);
  end_work();
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), 0);
  trace_free(&t);
}

// ---- Disks -----------------------------------------------------------------------------------------------------------

static int (*real_fsync)(int);

static int slow_fsync(int file) {
  sleep_unheard(5);
  return real_fsync(file);
}

// On a fast disk nothing lasts for a millisecond.
static void slow_down(void) {
  for (hooked_import *i = sleeping_imports; i->name; i++) {
    if (strcmp(i->name, "fsync") != 0) continue;
    real_fsync = (int (*)(int))i->real;
    i->real = (void *)slow_fsync;
  }
}

TEST(waits_for_a_disk_are_told_of) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  slow_down();
  REQUIRE(real_fsync);
  int file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(file >= 0 && write(file, "text", 4) == 4 && ftruncate(file, 4096) == 0);
  void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(mapped != MAP_FAILED);
  EXPECT_EQUAL(fsync(file), 0);
  begin_work(work_number);
  EXPECT_EQUAL(fsync(file), 0);
  EXPECT_EQUAL(fsync(-1), -1);
  EXPECT_EQUAL(errno, EBADF);
  end_work();
  // These may be quick.
  begin_work(work_number + 1);
  EXPECT_EQUAL(fdatasync(file), 0);
  EXPECT_EQUAL(fdatasync(-1), -1);
  EXPECT_EQUAL(errno, EBADF);
  *(char *)mapped = 'T';
  EXPECT_EQUAL(msync(mapped, 4096, MS_SYNC), 0);
  EXPECT_EQUAL(msync((char *)mapped + 1, 4096, MS_SYNC), -1);
  EXPECT_EQUAL(errno, EINVAL);
  int result = sync_file_range(file, 0, 4096, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  EXPECT(result == 0 || errno == ENOSYS);
  end_work();
  munmap(mapped, 4096);
  close(file);
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_disk, work_number), others = facts_of(&t, optrace_object_disk, work_number + 1);
  EXPECT_EQUAL(facts.begun, 2);
  EXPECT_EQUAL(facts.over, 2);
  EXPECT_EQUAL(facts.signals, 0);
  EXPECT_EQUAL(others.begun, others.over);
  EXPECT(others.begun <= 5);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), facts.begun + others.begun);
  trace_free(&t);
}

// ---- As without ------------------------------------------------------------------------------------------------------

static void do_nothing(int signal) { (void)signal; }

static void hear(int signal) {
  struct sigaction action = {.sa_handler = do_nothing};
  if (sigaction(signal, &action, NULL) != 0) abort();
}

// Whose sleep others look at, and interrupt.
static pthread_t sleeper;
static thread_buffer *_Atomic sleepers_buffer;

static void sleeps_here(void) {
  sleeper = pthread_self();
  atomic_store(&sleepers_buffer, buffer_find(recording_current));
}

static bool has_begun(void *unused) {
  (void)unused;
  thread_buffer *buffer = atomic_load(&sleepers_buffer);
  return buffer && wait_is_noted(&buffer->wait);
}

// Once it sleeps. Again and again, since it may not have come to the call itself.
static void *interrupt(void *unused) {
  EXPECT(comes_true(has_begun, NULL));
  sleep_unheard(5);
  for (; has_begun(NULL); sleep_unheard(50)) pthread_kill(sleeper, SIGALRM);
  return unused;
}

static int sleep_by_seconds(void) { return (int)sleep(3600); }
static int sleep_by_microseconds(void) { return usleep(3600u * 1000000); }

static int interrupted(int (*sleep_long)(void)) {
  pthread_t other;
  if (pthread_create(&other, NULL, interrupt, NULL) != 0) abort();
  int result = sleep_long();
  int error = errno;
  pthread_join(other, NULL);
  errno = error;
  return result;
}

static void *sleep_long(void *left) {
  begin_work(work_number);
  const struct timespec hour = {.tv_sec = 3600};
  sleeps_here();
  errno = 0;
  int result = nanosleep(&hour, left);
  bool is_as_usual = result == -1 && errno == EINTR;
  end_work();
  return is_as_usual ? left : NULL;
}

TEST(a_sleep_that_lasts_at_the_end_is_open_and_a_signal_ends_it) {
  hear(SIGUSR1);
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_t thread;
  struct timespec left = {0};
  REQUIRE(pthread_create(&thread, NULL, sleep_long, &left) == 0);
  EXPECT(comes_true(has_begun, NULL));
  // The recorder's thread looks at least once a second.
  sleep_unheard(900);
  sleep_unheard(900);
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, work_number);
  EXPECT_EQUAL(facts.begun, 1);
  EXPECT_EQUAL(facts.over, 0);
  EXPECT_EQUAL(pthread_kill(thread, SIGUSR1), 0);
  void *result = NULL;
  EXPECT_EQUAL(pthread_join(thread, &result), 0);
  EXPECT(result == &left && left.tv_sec > 3500);
  trace_free(&t);
}

TEST(a_sleep_ends_at_an_alarm_and_odd_times_are_refused_as_ever) {
  hear(SIGALRM);
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  begin_work(work_number);
  sleeps_here();
  int left = interrupted(sleep_by_seconds);
  EXPECT(left > 3000 && left <= 3600);
  errno = 0;
  EXPECT_EQUAL(interrupted(sleep_by_microseconds), -1);
  EXPECT_EQUAL(errno, EINTR);
  EXPECT_EQUAL(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = -1}, NULL), EINVAL);
  errno = 0;
  EXPECT_EQUAL(nanosleep(&(struct timespec){.tv_sec = -1}, NULL), -1);
  EXPECT_EQUAL(errno, EINVAL);
  EXPECT_EQUAL(sleep(0), 0);
  EXPECT_EQUAL(usleep(0), 0);
  EXPECT_EQUAL(nanosleep(&(struct timespec){0}, NULL), 0);
  // A time that is over.
  EXPECT_EQUAL(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){.tv_sec = 1}, NULL), 0);
  end_work();
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, work_number);
  EXPECT(facts.begun >= 2 && facts.begun == facts.over);
  trace_free(&t);
}

static _Atomic int handled;

static void sleep_in_handler(int signal) {
  (void)signal;
  for (int way = 0; way < ways; way++) nap(way, 3);
  atomic_fetch_add(&handled, 1);
}

// On the thread's own stack, and on one for signals.
static void expect_handler_unheard(int flags) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  static uint8_t room[1 << 16];
  EXPECT_EQUAL(sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, NULL), 0);
  const struct sigaction action = {.sa_handler = sleep_in_handler, .sa_flags = flags};
  REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
  begin_work(work_number);
  // While it runs, and while it sleeps.
  sleeps_here();
  EXPECT_EQUAL(raise(SIGALRM), 0);
  EXPECT_EQUAL(interrupted(sleep_by_microseconds), -1);
  EXPECT(atomic_load(&handled) >= 2);
  EXPECT_EQUAL(nap(by_usleep, 3), 0);
  end_work();
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, work_number);
  EXPECT_EQUAL(facts.begun, 2);
  EXPECT_EQUAL(facts.over, 2);
  trace_free(&t);
}

TEST(sleeps_of_handlers_of_signals_are_not_recorded) { expect_handler_unheard(0); }
TEST(sleeps_of_handlers_on_their_own_stack_are_not_recorded) { expect_handler_unheard(SA_ONSTACK); }

static sigjmp_buf way_out;

// The sleep before is still noted when a thread has left it by a jump: notes are counted. `not_yet`: the thread has not come to the next one.
static _Atomic uint64_t notes_before;
enum { not_yet = 1 << 30 };

static uint64_t notes(void) { return atomic_load(&atomic_load(&sleepers_buffer)->wait.state) / wait_step; }

static bool has_begun_anew(void *unused) { return notes() > atomic_load(&notes_before) && has_begun(unused); }

static void *interrupt_new(void *unused) {
  EXPECT(comes_true(has_begun_anew, unused));
  sleep_unheard(5);
  pthread_kill(sleeper, SIGALRM);
  return NULL;
}

static void jump_out(int signal) {
  (void)signal;
  siglongjmp(way_out, 1);
}

TEST(a_sleep_that_is_left_by_a_jump_is_over_at_the_next) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  const struct sigaction action = {.sa_handler = jump_out};
  REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
  begin_work(work_number);
  sleeps_here();
  for (int i = 0; i < 3; i++) {
    pthread_t other;
    atomic_store(&notes_before, not_yet);
    REQUIRE(pthread_create(&other, NULL, interrupt_new, NULL) == 0);
    if (sigsetjmp(way_out, 1) == 0) {
      atomic_store(&notes_before, notes());
      sleep(3600);
      EXPECT(!"it was interrupted");
    }
    pthread_join(other, NULL);
  }
  // In a function that is called from here it would seem to be inside of the one before.
  EXPECT_EQUAL(usleep(3000), 0);
  end_work();
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, work_number);
  EXPECT_EQUAL(facts.begun, 4);
  EXPECT_EQUAL(facts.over, 4);
  trace_free(&t);
}

static void *sleep_until_cancelled(void *unused) {
  (void)unused;
  begin_work(work_number);
  sleeps_here();
  sleep(3600);
  end_work();
  return NULL;
}

TEST(a_thread_that_is_cancelled_in_a_sleep_has_ended_it) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, sleep_until_cancelled, NULL) == 0);
  EXPECT(comes_true(has_begun, NULL));
  sleep_unheard(5);
  EXPECT_EQUAL(pthread_cancel(thread), 0);
  void *result = NULL;
  EXPECT_EQUAL(pthread_join(thread, &result), 0);
  EXPECT(result == PTHREAD_CANCELED);
  trace t = hooked_end(recorder);
  wait_facts facts = facts_of(&t, optrace_object_sleep, work_number);
  EXPECT_EQUAL(facts.begun, 1);
  EXPECT_EQUAL(facts.over, 1);
  trace_free(&t);
}

TEST(a_forked_child_sleeps_and_records_nothing) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  begin_work(work_number);
  pid_t child = fork();
  if (child == 0) {
    int result = 0;
    for (int way = 0; way < ways; way++) result |= nap(way, 20);
    _exit(result | (int)sleep(1));
  }
  int status = 0;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  end_work();
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), 0);
  trace_free(&t);
}

static void sleep_for(int which) {
  begin_work(100 + (uint32_t)which);
  for (int i = 0; i < 20; i++) nap(i % ways, (uint32_t)(i % 4));
  end_work();
}

TEST(threads_that_sleep_at_once_have_their_own_waits) {
  enum { threads = 4 };
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  on_threads(threads, sleep_for);
  trace t = hooked_end(recorder);
  for (uint32_t i = 0; i < threads; i++) {
    wait_facts facts = facts_of(&t, optrace_object_sleep, 100 + i);
    EXPECT(facts.begun >= 15 && facts.begun <= 20);
    EXPECT_EQUAL(facts.begun, facts.over);
    EXPECT_EQUAL(facts.with_stack, facts.begun);
  }
  trace_free(&t);
}
#endif
