// Samples of processor time: where threads were, whose they are, and that nothing but the trace tells that they were taken.
#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/COpTrace/describe/code.h"
#include "../../Sources/COpTrace/describe/texts.h"
#include "COpTraceFields.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

enum { rate = 997, milliseconds = 1000000 };

// What burns processor time, in a section of its own: its addresses tell it.
extern const char __start_burners[], __stop_burners[];
static volatile uint64_t burnt;

static uint64_t time_of_thread(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

__attribute__((noinline, section("burners"))) static void burn(uint64_t nanoseconds) {
  for (uint64_t end = time_of_thread() + nanoseconds; time_of_thread() < end;)
    for (int i = 0; i < 20000; i++) burnt = burnt * 31 + (uint64_t)i;
}

static void (*volatile burn_more_deeply)(int depth, uint64_t nanoseconds);

__attribute__((noinline, section("burners"))) static void burn_deeply(int depth, uint64_t nanoseconds) {
  volatile char room[4096];
  room[depth * 64] = (char)depth;
  if (depth) burn_more_deeply(depth - 1, nanoseconds);
  else burn(nanoseconds);
  burnt += (uint64_t)room[depth * 64];
}

// ---- Recording -----------------------------------------------------------------------------------------------------

// Null: the test is skipped, since this system does not allow it.
static optrace_recorder *begin_by(uint64_t ring, uint32_t by) {
  if (is_emulated()) {
    core_test_skip("the emulator samples nothing");
    return NULL;
  }
  optrace_recorder *recorder = ring ? recording_begin_flight("run.optrace", ring) : recording_begin("run.optrace", 0, 0, true);
  if (!recorder) core_test_fail(__FILE__, __LINE__, "no recorder");
  if (!recorder) return NULL;
  if (!texts_begin(recorder, UINT64_MAX) || !code_begin(recorder)) core_test_fail(__FILE__, __LINE__, "no memory");
  optrace_recorder_use_stacks(recorder, optrace_stacks_waits);
  const optrace_profile_options options = {.rate = rate, .by = by};
  int error = optrace_recorder_profile(recorder, &options);
  if (!error) return recorder;
  optrace_recorder_stop(recorder);
  core_test_skip(optrace_profile_refusal(error));
  return NULL;
}

static optrace_recorder *begin(uint64_t ring) { return begin_by(ring, optrace_profile_by_events); }

typedef struct {
  uint64_t used, lost;
  size_t samples, whole, in_burners, without_frame;
} profile_facts;

static bool is_sample(const record *r) { return r->kind == optrace_kind_sampled || r->kind == optrace_kind_sampled_in_kernel; }

static const record *frame_of(const trace *t, uint32_t id) {
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == optrace_kind_frame && t->records[i].subject == id) return &t->records[i];
  return NULL;
}

static uint64_t bias_of(const trace *t, uint32_t image) {
  // The test's own code is what matters, so the only image that is asked for is its own.
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind != optrace_kind_image || r->subject != image) continue;
    optrace_image found;
    uint8_t path[optrace_longest_path];
    uint64_t base = optrace_image_read(r->word[0], r->word[1]).page * optrace_format_image_page;
    return optrace_image_find(base, &found, path) ? found.bias : 0;
  }
  return 0;
}

static void count_sample(const trace *t, const record *r, profile_facts *facts) {
  facts->samples++;
  const record *frame = frame_of(t, r->subject);
  bool is_in_burners = false, is_cut = !frame;
  facts->without_frame += !frame;
  for (int depth = 0; frame && depth < 1000; depth++) {
    optrace_frame_fields fields = optrace_frame_read(frame->word[0], frame->word[1]);
    uint64_t address = fields.offset + bias_of(t, fields.image);
    is_in_burners |= address >= (uint64_t)(uintptr_t)__start_burners && address <= (uint64_t)(uintptr_t)__stop_burners;
    is_cut |= fields.cut;
    frame = fields.caller ? frame_of(t, fields.caller) : NULL;
  }
  facts->whole += !is_cut;
  facts->in_burners += is_in_burners;
}

// `thread`: only its samples; 0: all.
static profile_facts facts_of(const trace *t, uint32_t thread) {
  profile_facts facts = {0};
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (is_sample(r) && (!thread || optrace_sampled_read(r->word[0]).thread == thread)) count_sample(t, r, &facts);
    if (r->kind != optrace_kind_sampling) continue;
    optrace_sampling_fields fields = optrace_sampling_read(r->word[0], r->word[1]);
    if (fields.used > facts.used) facts.used = fields.used;
    if (fields.lost > facts.lost) facts.lost = fields.lost;
  }
  return facts;
}

// ---- Tests ---------------------------------------------------------------------------------------------------------

TEST(samples_stand_for_the_time_that_was_used) {
  optrace_recorder *recorder = begin(0);
  if (!recorder) return;
  burn(400 * milliseconds);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  profile_facts facts = facts_of(&t, 0);
  // Each sample stands for a millisecond; of what was used before the first there is none.
  size_t due = (size_t)(facts.used / 1003009), counted = facts.samples + facts.lost;
  EXPECT(facts.used >= 400 * milliseconds);
  if (counted < due * 9 / 10 || counted > due + 2) core_test_fail(__FILE__, __LINE__, "%zu samples for %zu", counted, due);
  EXPECT(facts.in_burners >= facts.samples * 9 / 10);
  EXPECT_EQUAL(facts.without_frame, 0);
  if (facts.whole < facts.samples * 98 / 100) core_test_fail(__FILE__, __LINE__, "%zu of %zu are whole", facts.whole, facts.samples);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_profile), 1);
  trace_free(&t);
}

static void burn_on_thread(int which) {
  optrace_emit1(recording_current, optrace_kind_ready, (uint32_t)which + 1);
  burn(100 * milliseconds);
}

TEST(samples_belong_to_the_threads_that_the_records_are_of) {
  optrace_recorder *recorder = begin(0);
  if (!recorder) return;
  on_threads(3, burn_on_thread);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  size_t threads = 0;
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_ready) continue;
    threads++;
    profile_facts facts = facts_of(&t, t.records[i].thread);
    EXPECT(facts.samples + facts.lost >= 70);
    EXPECT(facts.in_burners >= facts.samples * 9 / 10);
  }
  EXPECT_EQUAL(threads, 3);
  trace_free(&t);
}

static _Atomic bool may_end;
static _Atomic uint32_t tid_of_other;

static void *burn_until_told(void *unused) {
  atomic_store(&tid_of_other, optrace_thread_id());
  while (!atomic_load(&may_end)) burn(1 * milliseconds);
  return unused;
}

static bool is_other_there(void *unused) { return (void)unused, atomic_load(&tid_of_other) != 0; }

// Only its name says which thread of the trace it is.
static uint32_t number_of_other(const trace *t) {
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_thread_named && (uint32_t)(r->word[0] >> 32) == atomic_load(&tid_of_other)) return r->subject;
  }
  return 0;
}

TEST(threads_that_existed_before_are_sampled) {
  pthread_t other;
  REQUIRE(pthread_create(&other, NULL, burn_until_told, NULL) == 0);
  REQUIRE(comes_true(is_other_there, NULL));
  optrace_recorder *recorder = begin(0);
  if (recorder) burn(300 * milliseconds);
  atomic_store(&may_end, true);
  pthread_join(other, NULL);
  if (!recorder) return;
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  uint32_t number = number_of_other(&t);
  REQUIRE(number);
  profile_facts facts = facts_of(&t, number);
  EXPECT(facts.samples > 0);
  EXPECT(facts.in_burners >= facts.samples * 9 / 10);
  trace_free(&t);
}

TEST(what_is_deeper_than_the_copy_is_cut) {
  SKIP_IF(is_sanitized(), "sanitizers keep large variables elsewhere");
  optrace_recorder *recorder = begin(0);
  if (!recorder) return;
  burn_more_deeply = burn_deeply;
  burn_deeply(20, 100 * milliseconds);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  profile_facts facts = facts_of(&t, 0);
  EXPECT(facts.in_burners > 0);
  if (facts.whole > facts.samples - facts.in_burners + 2)
    core_test_fail(__FILE__, __LINE__, "%zu of %zu are whole, %zu burn", facts.whole, facts.samples, facts.in_burners);
  trace_free(&t);
}

TEST(a_ring_keeps_the_frames_of_its_samples) {
  optrace_recorder *recorder = begin(256 * 1024);
  if (!recorder) return;
  burn(100 * milliseconds);
  // The ring turns, twice.
  for (uint32_t i = 1; i <= 40000; i++) {
    optrace_emit2(recorder, optrace_kind_priority_changed, i, 0);
    if (i % 400 == 0) burn(1 * milliseconds);
  }
  burn(100 * milliseconds);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT(trace_header(&t, optrace_header_overwritten_bytes) > 0);
  profile_facts facts = facts_of(&t, 0);
  EXPECT(facts.samples > 50);
  EXPECT_EQUAL(facts.without_frame, 0);
  EXPECT(facts.whole >= facts.samples * 98 / 100);
  trace_free(&t);
}

TEST(a_child_is_not_sampled_and_harms_nothing) {
  optrace_recorder *recorder = begin(0);
  if (!recorder) return;
  burn(50 * milliseconds);
  pid_t child = fork();
  if (child == 0) {
    burn(200 * milliseconds);
    optrace_recorder_stop(recorder);
    _exit(7);
  }
  int status = 0;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  burn(50 * milliseconds);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  profile_facts facts = facts_of(&t, 0);
  // 100 ms, and not 300.
  EXPECT(facts.samples < 200);
  EXPECT(facts.samples + facts.lost >= 70);
  trace_free(&t);
}

// Those but the trace; how many are of samples.
static int close_descriptors(void) {
  int samples = 0;
  for (int file = 3; file < 1024; file++) {
    char path[32], target[256];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    samples += strstr(target, "perf_event") != NULL;
    if (length > 0 && !strstr(target, "run.optrace")) close(file);
  }
  return samples;
}

TEST(a_program_that_closes_all_descriptors_is_sampled_on) {
  optrace_recorder *recorder = begin(0);
  if (!recorder) return;
  EXPECT_EQUAL(close_descriptors(), 0);
  burn(200 * milliseconds);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  profile_facts facts = facts_of(&t, 0);
  EXPECT(facts.samples + facts.lost >= 140);
  trace_free(&t);
}

// Fails this system call, as a container's profile does.
static bool forbid(uint32_t number, uint32_t error) {
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(a_system_that_refuses_is_told_of_and_all_else_is_recorded) {
  SKIP_IF(is_emulated(), "the emulator has no filters");
  REQUIRE(forbid(SYS_perf_event_open, EPERM));
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  const optrace_profile_options options = {.rate = rate};
  EXPECT_EQUAL(optrace_recorder_profile(recorder, &options), EPERM);
  EXPECT(strstr(optrace_profile_refusal(EPERM), "--cap-add PERFMON"));
  EXPECT(strstr(optrace_profile_refusal(EACCES), "kernel.perf_event_paranoid=2"));
  optrace_emit1(recorder, optrace_kind_ready, 1);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_sampling), 0);
  REQUIRE(trace_count(&t, optrace_kind_profile) == 1);
  for (size_t i = 0; i < t.count; i++)
    if (t.records[i].kind == optrace_kind_profile)
      EXPECT_EQUAL(optrace_profile_read(t.records[i].word[0], t.records[i].word[1]).refused, EPERM);
  trace_free(&t);
}

// ---- By timers -----------------------------------------------------------------------------------------------------

// Whether the kernel says that this thread has a timer. True where it tells nothing.
static bool has_timer(void) {
  char line[64], mine[64];
  bool is_there = false;
  FILE *timers = fopen("/proc/self/timers", "r");
  if (!timers) return true;
  snprintf(mine, sizeof mine, "notify: signal/tid.%u\n", (unsigned)optrace_thread_id());
  while (!is_there && fgets(line, sizeof line, timers)) is_there = strcmp(line, mine) == 0;
  fclose(timers);
  return is_there;
}

// The recorder's thread gives the timers and takes the samples out, and may get a processor late. The kernel looks at these timers at its own
// ticks, which may miss a thread of a busy machine: they have missed all of 300 ms of its time.
static void burn_long(int which) {
  optrace_emit1(recording_current, optrace_kind_ready, (uint32_t)which + 1);
  for (int i = 0; i < 1000 && !has_timer(); i++) burn(10 * milliseconds);
  burn(1000 * milliseconds);
}

TEST(timers_sample_all_threads) {
  optrace_recorder *recorder = begin_by(0, optrace_profile_by_timer);
  if (!recorder) return;
  on_threads(2, burn_long);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  size_t threads = 0;
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_ready) continue;
    threads++;
    profile_facts facts = facts_of(&t, t.records[i].thread);
    EXPECT(facts.samples > 0);
    EXPECT(facts.in_burners >= facts.samples * 9 / 10);
    EXPECT(facts.whole >= facts.samples * 95 / 100);
  }
  EXPECT_EQUAL(threads, 2);
  trace_free(&t);
}

static void handle(int number) { (void)number; }

TEST(timers_leave_a_program_alone_that_has_a_handler_for_their_signal) {
  REQUIRE(signal(SIGPROF, handle) != SIG_ERR);
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  const optrace_profile_options options = {.rate = rate, .by = optrace_profile_by_timer};
  EXPECT_EQUAL(optrace_recorder_profile(recorder, &options), EBUSY);
  struct sigaction is;
  EXPECT(sigaction(SIGPROF, NULL, &is) == 0 && is.sa_handler == handle);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

static _Atomic int heard_signals;
static void count_signal(int number) { (void)number, atomic_fetch_add(&heard_signals, 1); }

static bool is_quiet(void *unused) {
  (void)unused;
  int before = atomic_load(&heard_signals);
  burn(50 * milliseconds);
  return atomic_load(&heard_signals) == before;
}

TEST(timers_end_when_the_program_sets_a_handler_for_their_signal) {
  optrace_recorder *recorder = begin_by(0, optrace_profile_by_timer);
  if (!recorder) return;
  burn(20 * milliseconds);
  REQUIRE(signal(SIGPROF, count_signal) != SIG_ERR);
  EXPECT(comes_true(is_quiet, NULL));
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  struct sigaction is;
  EXPECT(sigaction(SIGPROF, NULL, &is) == 0 && is.sa_handler == count_signal);
}

// A signal that is on its way when the recorder stops harms nothing, and calls are not ended by it.
TEST(timers_do_not_end_waits) {
  optrace_recorder *recorder = begin_by(0, optrace_profile_by_timer);
  if (!recorder) return;
  int pipes[2];
  REQUIRE(pipe(pipes) == 0);
  for (int i = 0; i < 50; i++) {
    burn(3 * milliseconds);
    char byte = 1;
    EXPECT_EQUAL(write(pipes[1], &byte, 1), 1);
    EXPECT_EQUAL(read(pipes[0], &byte, 1), 1);
  }
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  burn(20 * milliseconds);
}
#endif
