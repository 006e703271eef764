// What belongs to the process: children, threads that end, signals.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/base/wiped.h"
#include "CRecorderInside.h"
#include "CRecorderTestSupport.h"
#include "COpTraceSignals.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

// The linker leads the core's calls here. qemu-user says that it empties pages in a child, and does not; the way of systems that have
// to be told in each child what to empty works there, too.
#if defined(__linux__)
void *__real_wiped_pages(size_t size);
void *__wrap_wiped_pages(size_t size);
void *__wrap_wiped_pages(size_t size) { return is_emulated() ? wiped_pages_by_handler(size) : __real_wiped_pages(size); }
#endif

TEST(a_child_finds_pages_empty_that_are_to_be_so) {
  SKIP_IF(is_emulated(), "qemu-user ignores MADV_WIPEONFORK, and says that it has done it");
  EXPECT(test_child_finds_pages_empty());
}

TEST(a_child_finds_pages_empty_by_a_handler) {
  enum { size = 20000 };
  volatile unsigned char *pages = wiped_pages_by_handler(size);
  REQUIRE(pages);
  for (int i = 0; i < size; i++) pages[i] = 0xA5;
  pid_t child = fork();
  if (child == 0) {
    int set = 0;
    for (int i = 0; i < size; i++) set |= pages[i];
    _exit(set != 0);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  for (int i = 0; i < size; i++)
    if (pages[i] != 0xA5) EXPECT(!"the parent's are empty, too");
}

static void be_a_child(void) {
  optrace_recorder *recorder = recording_current;
  uint64_t activity;
  bool is_silent = !optrace_recorder_is_recording(recorder) && !optrace_recorder_activity(recorder, &activity);
  for (uint32_t i = 0; i < 100000; i++) optrace_emit2(recorder, optrace_kind_enqueued, i, 666);
  is_silent &= optrace_recorder_stop(recorder) == 0 && optrace_recorder_lost(recorder, 0) == 0;
  _exit(is_silent ? 0 : 1);
}

static void record_as_a_child(void) {
  optrace_recorder *recorder = recording_begin("child.optrace", 0, 0, true);
  if (recorder) optrace_emit1(recorder, optrace_kind_ready, 1);
  _exit(recorder && optrace_recorder_stop(recorder) == 0 ? 0 : 1);
}

TEST(a_forked_child_does_not_record) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  optrace_emit1(recorder, optrace_kind_ready, 1);
  EXPECT_EQUAL(test_run_in_fork(be_a_child), 0);
  optrace_emit1(recorder, optrace_kind_ready, 2);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 2);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_enqueued), 0);
  trace_free(&t);
}

TEST(a_forked_child_records_by_a_recorder_of_its_own) {
  SKIP_IF(is_emulated(), "qemu-user ends a child that begins a thread where its parent had several");
  REQUIRE(recording_begin("run.optrace", 0, 0, true));
  EXPECT_EQUAL(test_run_in_fork(record_as_a_child), 0);
  EXPECT_EQUAL(optrace_recorder_stop(recording_current), 0);
  trace t = trace_read("child.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 1);
  trace_free(&t);
}

#if defined(__linux__)
#include "CStackTestSupport.h"
TEST(a_child_finds_no_stacks_of_its_parent) { EXPECT_NOTHING(test_table_in_child()); }
#endif

// ---- Threads in their last moments ---------------------------------------------------------------------------------

static void emit_late(void) { optrace_emit1(recording_current, optrace_kind_finished, 2); }

static void end_late(int rounds) {
  optrace_emit1(recording_current, optrace_kind_ready, 1);
  test_at_thread_exit(emit_late, rounds + 1);
}

TEST(what_a_thread_does_in_its_last_moments_is_recorded_or_counted) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  on_threads(6, end_late);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 6);
  // The system calls destructors so many times and no more.
  enum { asked = 1 + 2 + 3 + 4 + 4 + 4 };
  uint64_t lost = trace_header(&t, optrace_header_loss_counts + 8 * optrace_loss_thread_exited);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_finished) + lost, asked);
  EXPECT(trace_count(&t, optrace_kind_finished) >= asked - 3);
  for (size_t i = 0; i < t.count; i++) EXPECT(t.records[i].thread <= 6);
  trace_free(&t);
}

// ---- Signals -------------------------------------------------------------------------------------------------------

static optrace_signal *installed;
static _Atomic int woken;

static void wait_for_signals(int which) {
  if (which == 0) {
    while (optrace_signal_wait(installed)) atomic_fetch_add(&woken, 1);
    atomic_store(&woken, -1);
  } else {
    for (int i = 1; i <= 5; i++) {
      kill(getpid(), SIGUSR1);
      while (atomic_load(&woken) < i) usleep(1000);
    }
    optrace_signal_remove(installed);
  }
}

TEST(a_signal_wakes_who_waits_for_it) {
  installed = optrace_signal_install(SIGUSR1);
  REQUIRE(installed);
  EXPECT(!optrace_signal_install(SIGUSR1) && errno == EBUSY);
  EXPECT(!optrace_signal_install(SIGKILL) && errno == EINVAL);
  on_threads(2, wait_for_signals);
  EXPECT_EQUAL(woken, -1);
  // Given back: it does what it did before.
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  EXPECT(now.sa_handler == SIG_DFL);
}

TEST(a_signal_in_a_child_does_what_it_did_before) {
  REQUIRE(optrace_signal_install(SIGUSR1));
  pid_t child = fork();
  if (child == 0) {
    raise(SIGUSR1);
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
}

TEST(masks_are_set_and_given_back) {
  optrace_signal_mask before;
  sigset_t mask;
  optrace_signal_mask_set(SIGUSR2, &before);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  EXPECT(sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGBUS));
  optrace_signal_mask_restore(&before);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  EXPECT(!sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGTERM));
}
