// A filter of system calls that kills: the recorder does without whatever a program may not have allowed.
#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/base/filter.h"
#include "../../Sources/COpTrace/describe/code.h"
#include "../../Sources/COpTrace/describe/texts.h"
#include "../../Sources/COpTrace/stacks/bounds.h"
#include "../../Sources/COpTrace/stacks/peek.h"
#include "CRecorderTestSupport.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

// What servers need for their own files, sockets, threads and memory.
static const unsigned usual[] = {
  SYS_read, SYS_write, SYS_openat, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk,
  SYS_futex, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_clock_gettime, SYS_clock_nanosleep, SYS_clone, SYS_set_robust_list,
  SYS_rseq, SYS_exit, SYS_exit_group,
#if defined(SYS_clone3)
  SYS_clone3,
#endif
};
enum { usual_count = sizeof usual / sizeof *usual };

static bool install(struct sock_filter *steps, unsigned short count) {
  struct sock_fprog program = {count, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

// For all threads. False: this system has no filters.
static bool install_filter(void) {
  struct sock_filter steps[2 * usual_count + 2];
  unsigned short count = 0;
  steps[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < usual_count; i++) {
    steps[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, usual[i], 0, 1);
    steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  system_filter_comes();
  return install(steps, count);
}

enum { marks_each = 20000 };
static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz";

static void record_much(int which) {
  uint64_t word = 0;
  for (uint32_t i = 0; i < marks_each; i++)
    optrace_emit_text(recording_current, optrace_kind_mark, (uint32_t)which, 0, false, 0, letters, sizeof letters - 1);
  optrace_define(recording_current, optrace_kind_string, (uint32_t)which + 1, 0, 0, letters, sizeof letters - 1);
  // Nothing of this is needed, and nothing of it kills.
  if (peek_all((uint64_t)(uintptr_t)&word, &word, sizeof word)) _exit(6);
  stack_bounds bounds = stack_own_bounds();
  uint64_t here = (uint64_t)(uintptr_t)&word;
  if (here < bounds.low || here >= bounds.high) _exit(5);
}

static uint64_t ring;
static void record_under_a_filter(void) {
  optrace_recorder *recorder = ring ? recording_begin_flight("run.optrace", ring) : recording_begin("run.optrace", 0, 0, true);
  if (!recorder || !texts_begin(recorder, UINT64_MAX) || !code_begin(recorder)) _exit(9);
  optrace_recorder_use_stacks(recorder, optrace_stacks_all);
  optrace_emit1(recorder, optrace_kind_ready, 1);
  if (!install_filter()) _exit(3);
  on_threads(3, record_much);
  record_much(3);
  _exit(optrace_recorder_stop(recorder) == 0 ? 0 : 8);
}

// Under a filter the file keeps what was reserved behind its end.
static void cut_reserve(const char *path) {
  uint64_t end = 0;
  int file = open(path, O_RDWR);
  EXPECT(pread(file, &end, sizeof end, optrace_header_end_offset) == sizeof end && ftruncate(file, (off_t)end) == 0);
  close(file);
}

static void check(uint64_t capacity) {
  SKIP_IF(is_emulated(), "the emulator has other system calls");
  SKIP_IF(is_sanitized(), "a sanitizer makes system calls of its own");
  ring = capacity;
  int status = test_run_in_fork(record_under_a_filter);
  SKIP_IF(WIFEXITED(status) && WEXITSTATUS(status) == 3, "this system has no filters");
  EXPECT_EQUAL(status, 0);
  if (!capacity) cut_reserve("run.optrace");
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  if (!capacity) EXPECT_EQUAL(trace_count(&t, optrace_kind_mark), 4 * marks_each);
  if (!capacity) EXPECT_EQUAL(trace_lost(&t), 0);
  trace_free(&t);
}

TEST(a_filter_that_kills_does_not_kill_a_program_that_records) { check(0); }
TEST(a_filter_that_kills_does_not_kill_a_program_with_a_ring) { check(1 << 20); }

TEST(optional_calls_are_left_out_from_the_moment_when_a_filter_comes) {
  EXPECT(!system_is_filtered());
  REQUIRE(system_call_begins());
  system_call_ends();
  uint32_t id = optrace_thread_id();
  system_filter_comes();
  EXPECT(system_is_filtered() && !system_call_begins());
  EXPECT_EQUAL(optrace_thread_id(), id);
  system_filter_failed();
  EXPECT(!system_is_filtered() && system_call_begins());
  system_call_ends();
}

static void *end_call_soon(void *unused) {
  usleep(20000);
  system_call_ends();
  return unused;
}

TEST(a_filter_waits_until_optional_calls_are_over) {
  pthread_t other;
  REQUIRE(system_call_begins() && pthread_create(&other, NULL, end_call_soon, NULL) == 0);
  system_filter_comes();
  // It has ended the call, so another may begin as soon as there is no filter.
  system_filter_failed();
  EXPECT(system_call_begins());
  system_call_ends();
  pthread_join(other, NULL);
}

static void sample_under_an_old_filter(void) {
  struct sock_filter steps[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (!install(steps, sizeof steps / sizeof *steps)) _exit(3);
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  const optrace_profile_options options = {.rate = 99, .by = optrace_profile_by_events};
  _exit(recorder && optrace_recorder_profile(recorder, &options) == EPERM && optrace_recorder_stop(recorder) == 0 ? 0 : 8);
}

TEST(samples_are_refused_where_a_filter_would_kill_for_them) {
  SKIP_IF(is_emulated(), "the emulator has other system calls");
  int status = test_run_in_fork(sample_under_an_old_filter);
  SKIP_IF(WIFEXITED(status) && WEXITSTATUS(status) == 3, "this system has no filters");
  EXPECT_EQUAL(status, 0);
}

TEST(a_filter_that_nobody_has_heard_of_is_found) {
  SKIP_IF(is_emulated(), "the emulator has other system calls");
  system_filter_look();
  EXPECT(!system_is_filtered());
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {1, all};
  SKIP_IF(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0,
          "this system has no filters");
  system_filter_look();
  EXPECT(system_is_filtered());
}
#endif
