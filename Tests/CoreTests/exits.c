// The end of the process, also in a signal handler that has interrupted any code: it never hangs, and the trace is closed wherever that is
// possible.
#if defined(__linux__)
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/life/pause.h"
#include "../../Sources/COpTrace/storage/recorder.h"
#include "CRecorderTestSupport.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

static uint32_t state_of(const char *path) {
  uint32_t state = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  if (fseek(file, optrace_header_state, SEEK_SET) != 0 || fread(&state, sizeof state, 1, file) != 1) state = 0;
  fclose(file);
  return state;
}

TEST(a_process_that_exits_closes_all_its_traces) {
  optrace_recorder *first = recording_begin("first.optrace", 0, 0, true), *second = recording_begin_flight("second.optrace", 256 * 1024);
  REQUIRE(first && second);
  optrace_emit1(first, optrace_kind_ready, 1);
  optrace_emit1(second, optrace_kind_ready, 2);
  optrace_stop_at_exit();
  optrace_stop_at_exit();
  EXPECT(!optrace_recorder_is_recording(first) && !optrace_recorder_is_recording(second));
  EXPECT_EQUAL(optrace_recorder_stop(first), 0);
  const char *const paths[] = {"first.optrace", "second.optrace"};
  for (int i = 0; i < 2; i++) {
    trace t = trace_read(paths[i]);
    EXPECT_NOTHING(t.wrong);
    EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 1);
    trace_free(&t);
  }
}

// The exit status of a child that runs this; -1: it was killed.
static int status_of(void (*body)(void)) {
  int status = test_run_in_fork(body);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void exit_with(int how) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  if (!recorder) _exit(9);
  optrace_emit1(recorder, optrace_kind_ready, 1);
  pthread_mutex_lock(how ? &recorder->grow : &recorder->lock);
  optrace_stop_at_exit();
  _exit(state_of("run.optrace") == optrace_file_state_open ? 0 : 8);
}

static void exit_with_lock(void) { exit_with(0); }
static void exit_with_grow(void) { exit_with(1); }

TEST(a_thread_that_holds_a_lock_of_the_recorder_exits) {
  EXPECT_EQUAL(status_of(exit_with_lock), 0);
  EXPECT_EQUAL(status_of(exit_with_grow), 0);
}

static void *hold_forever(void *recorder) {
  pthread_mutex_lock(&((optrace_recorder *)recorder)->lock);
  optrace_recorder_count_lost(recorder, 0, 1);
  for (;;) pause();
}

static bool is_held(void *recorder) { return optrace_recorder_lost(recorder, 0) == 1; }

static void exit_behind_another(void) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  pthread_t holder;
  if (!recorder || pthread_create(&holder, NULL, hold_forever, recorder) != 0 || !comes_true(is_held, recorder)) _exit(9);
  optrace_stop_at_exit();
  _exit(state_of("run.optrace") == optrace_file_state_open ? 0 : 8);
}

TEST(a_process_exits_although_another_thread_never_gives_a_lock_back) {
  SKIP_IF(is_emulated(), "qemu-user ends a child that begins a thread where its parent had several");
  EXPECT_EQUAL(status_of(exit_behind_another), 0);
}

// As if a signal had interrupted `stop`.
static void exit_while_stopping(void) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  if (!recorder) _exit(9);
  recorder->closer = optrace_thread_id();
  recorder->ending = ending_begun;
  optrace_stop_at_exit();
  _exit(0);
}

TEST(a_thread_that_is_stopping_a_recorder_exits) { EXPECT_EQUAL(status_of(exit_while_stopping), 0); }

static void stop_or_exit(int which) {
  if (which) optrace_stop_at_exit();
  else optrace_recorder_stop(recording_current);
}

TEST(a_recorder_is_stopped_while_the_process_exits) {
  for (int i = 0; i < 50; i++) {
    optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
    REQUIRE(recorder);
    optrace_emit1(recorder, optrace_kind_ready, 1);
    on_threads(2, stop_or_exit);
    trace t = trace_read("run.optrace");
    EXPECT_NOTHING(t.wrong);
    EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 1);
    trace_free(&t);
  }
}

// ---- Interrupted anywhere --------------------------------------------------------------------------------------------

static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz";

static void *record_on(void *argument) {
  optrace_recorder *recorder = argument;
  for (uint32_t i = 1;; i++) {
    optrace_define(recorder, optrace_kind_string, i, 0, 0, letters, sizeof letters - 1);
    optrace_emit_text(recorder, optrace_kind_mark, i, 0, false, 0, letters, sizeof letters - 1);
  }
}

static void exit_now(int number) {
  (void)number;
  exit(7);
}

static int microseconds;
static void be_interrupted(void) {
  optrace_recorder *recorder = recording_begin("storm.optrace", 0, 0, true);
  pthread_t other;
  if (!recorder || atexit(optrace_stop_at_exit) != 0 || signal(SIGALRM, exit_now) == SIG_ERR) _exit(9);
  if (pthread_create(&other, NULL, record_on, recorder) != 0) _exit(9);
  struct itimerval timer = {.it_value = {.tv_usec = microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
  record_on(recorder);
}

// Most of the time these threads hold the lock, or wait for it.
TEST(a_process_that_exits_in_a_signal_handler_ends) {
  SKIP_IF(is_emulated(), "qemu-user ends a child that begins a thread where its parent had several");
  enum { runs = 40 };
  int closed = 0;
  for (int i = 0; i < runs; i++) {
    microseconds = 2000 + 500 * i;
    EXPECT_EQUAL(status_of(be_interrupted), 7);
    uint32_t state = state_of("storm.optrace");
    EXPECT(state == optrace_file_state_open || state == optrace_file_state_closed);
    closed += state == optrace_file_state_closed;
    unlink("storm.optrace");
  }
  // The others hold the lock themselves.
  EXPECT(closed > 0);
}

// ---- Calls that need a process with one thread -------------------------------------------------------------------------

static void enter_a_namespace(void) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  if (!recorder) _exit(9);
  optrace_emit1(recorder, optrace_kind_ready, 1);
  // Not every system lets everybody do this.
  if (unshare(CLONE_NEWUSER) != -1 || errno != EINVAL) _exit(3);
  if (!flushers_pause()) _exit(8);
  int error = unshare(CLONE_NEWUSER) == 0 ? 0 : errno;
  flushers_resume();
  optrace_emit1(recorder, optrace_kind_ready, 2);
  if (error) _exit(error == EINVAL ? 7 : 3);
  if (flushers_pause() != recorder->is_paused) _exit(6);
  flushers_resume();
  _exit(optrace_recorder_stop(recorder) == 0 ? 0 : 5);
}

TEST(the_recorders_thread_rests_while_a_call_needs_a_process_with_one_thread) {
  SKIP_IF(is_emulated(), "qemu-user has threads of its own");
  SKIP_IF(is_sanitized(), "a sanitizer may have threads of its own");
  int status = status_of(enter_a_namespace);
  SKIP_IF(status == 3, "this system refuses user namespaces");
  EXPECT_EQUAL(status, 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 2);
  trace_free(&t);
}

static void *wait_here(void *unused) {
  for (;;) pause();
  return unused;
}

TEST(the_recorders_thread_goes_on_where_the_program_has_others) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  pthread_t other;
  REQUIRE(recorder && pthread_create(&other, NULL, wait_here, NULL) == 0);
  EXPECT(!flushers_pause() && recorder->has_flusher);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static void clear_stack(void) {
  volatile char used[16384];
  for (size_t i = 0; i < sizeof used; i++) used[i] = 0;
}

// The process may end while a recorder still has memory. A leak checker looks into no pages that the program mapped itself.
TEST(a_leak_checker_finds_all_that_a_recorder_has) {
  SKIP_IF(!__lsan_do_recoverable_leak_check, "only the address sanitizer looks for leaks");
  optrace_recorder *recorder = recording_begin_flight("run.optrace", 256 * 1024);
  REQUIRE(recorder);
  for (uint32_t i = 1; i < 20000; i++) optrace_emit1(recorder, optrace_kind_ready, i);
  clear_stack();
  EXPECT_EQUAL(__lsan_do_recoverable_leak_check(), 0);
}
#endif
