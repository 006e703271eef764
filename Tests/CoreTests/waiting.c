// What threads block on, the recorder's own thread, and looks at all threads.
#include <signal.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/life/snapshot.h"
#include "../../Sources/COpTrace/operations/operation.h"
#include "../../Sources/COpTrace/waits/signals.h"
#include "../../Sources/COpTrace/waits/waits.h"
#include "COpTraceFields.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

static const volatile uint8_t *mapped;  // The file, as another process would see it.

static bool map_file(const char *path) {
  int file = open(path, O_RDWR);
  void *at = mmap(NULL, optrace_header_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  mapped = at == MAP_FAILED ? NULL : at;
  return mapped;
}

static uint64_t header_now(size_t offset) { return __atomic_load_n((const uint64_t *)(const void *)(mapped + offset), __ATOMIC_ACQUIRE); }

static bool has_beaten(void *beats) { return header_now(optrace_header_heartbeat_sequence) >= *(uint64_t *)beats; }

TEST(the_heart_beats) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder && map_file("run.optrace"));
  uint64_t beats = 2, ticks;
  EXPECT(comes_true(has_beaten, &beats));
  // On a busy machine it may have beaten again meanwhile: the next whole one is behind both reads.
  ticks = header_now(optrace_header_heartbeat_ticks);
  beats = header_now(optrace_header_heartbeat_sequence) + 4;
  EXPECT(comes_true(has_beaten, &beats));
  EXPECT(header_now(optrace_header_heartbeat_ticks) > ticks);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

// ---- Waits ---------------------------------------------------------------------------------------------------------

static bool is_told(void *wait) {
  return atomic_load(&((wait_note *)wait)->state) % wait_step == wait_reported;
}

static const uint64_t semaphore = 0x123456780 | (uint64_t)optrace_object_semaphore << 48;

// One that lasts until the recorder's thread has told of it, one that lasts and is told of by the thread itself or the flusher, and many
// that do not.
static void wait_for_things(int which) {
  optrace_recorder *recorder = recording_current;
  work inside = {recorder, 100 + (uint32_t)which};
  thread_buffer *waiting = wait_begin(inside, semaphore, stack_here());
  REQUIRE(waiting);
  // Another inside of it is the same wait.
  EXPECT(!wait_begin(inside, semaphore, stack_here()));
  EXPECT(comes_true(is_told, &waiting->wait));
  signal_note(semaphore, (work){recorder, 7});
  wait_end(waiting);
  waiting = wait_begin(inside, semaphore + 16, stack_here());
  uint64_t from = optrace_clock_monotonic();
  while (optrace_clock_monotonic() - from < 3000000) usleep(1000);
  wait_end(waiting);
}

TEST(waits_that_last_are_told_of_while_they_last) {
  enum { threads = 4 };
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  signals_prepare();
  on_threads(threads, wait_for_things);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  uint32_t blocked[2] = {0}, unblocked[2] = {0}, signalled = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    size_t place = (r->word[0] - semaphore) / 16;
    if (r->kind == optrace_kind_signalled) {
      // By whom, and since when.
      EXPECT(r->word[0] == semaphore && r->subject == 7 && r->word[1] >> 40 >= 1);
      signalled++;
    }
    if (r->kind != optrace_kind_blocked && r->kind != optrace_kind_unblocked) continue;
    REQUIRE(place < 2 && r->subject >= 100 && r->subject < 100 + threads);
    (r->kind == optrace_kind_blocked ? blocked : unblocked)[place]++;
    if (r->kind == optrace_kind_blocked) {
      uint64_t age = (r->word[1] & (((uint64_t)1 << 40) - 1)) * optrace_format_age_unit;
      EXPECT(age >= optrace_clock_frequency() / 1000 - optrace_format_age_unit);
    }
  }
  for (int i = 0; i < 2; i++) EXPECT(blocked[i] == threads && unblocked[i] == threads);
  EXPECT(signalled >= 1);
  trace_free(&t);
}

TEST(waits_that_are_short_leave_nothing) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  uint64_t longest = 0;
  for (int i = 0; i < 10000; i++) {
    uint64_t from = optrace_clock_monotonic();
    thread_buffer *waiting = wait_begin((work){recorder, 1}, semaphore, stack_here());
    wait_end(waiting);
    uint64_t took = optrace_clock_monotonic() - from;
    if (took > longest) longest = took;
  }
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  // Unless the thread was halted in the midst of one.
  EXPECT(longest > 1000000 || trace_count(&t, optrace_kind_blocked) == 0);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_blocked), trace_count(&t, optrace_kind_unblocked));
  trace_free(&t);
}

// ---- Looks ---------------------------------------------------------------------------------------------------------

#if defined(__linux__)
static _Atomic bool is_named, is_over;

static void sleep_with_a_name(int which) {
  if (which == 0) {
    pthread_setname_np(pthread_self(), "who sleeps");
    is_named = true;
    while (!is_over) usleep(1000);
    return;
  }
  while (!is_named) usleep(1000);
  uint64_t asked = 5;
  __atomic_store_n((uint64_t *)(uintptr_t)(mapped + optrace_header_snapshot_requested), asked, __ATOMIC_RELEASE);
  while (header_now(optrace_header_snapshot_answered) != asked) usleep(1000);
  is_over = true;
}

static void ignore(int number) { (void)number; }

static void ask_for_a_look(int which) {
  (void)which;
  static uint64_t asked = 7;
  asked++;
  __atomic_store_n((uint64_t *)(uintptr_t)(mapped + optrace_header_snapshot_requested), asked, __ATOMIC_RELEASE);
  while (header_now(optrace_header_snapshot_answered) != asked) usleep(1000);
}

// A handler may wake whom no thread will.
TEST(a_look_notes_which_signals_the_program_handles) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder && map_file("run.optrace"));
  on_threads(1, ask_for_a_look);
  EXPECT_EQUAL(header_now(optrace_header_handled_signals), 0);
  struct sigaction before, handled = {.sa_handler = ignore};
  sigaction(SIGUSR1, &handled, &before);
  signal(SIGHUP, SIG_IGN);
  on_threads(1, ask_for_a_look);
  EXPECT_EQUAL(header_now(optrace_header_handled_signals), 1ull << (SIGUSR1 - 1));
  sigaction(SIGUSR1, &before, NULL);
  signal(SIGHUP, SIG_DFL);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

// Threads with their names, also one that another waits for, and which is told of before its turn comes.
TEST(who_asks_for_a_look_gets_one) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder && map_file("run.optrace"));
  uint32_t own = optrace_thread_id();
  on_threads(2, sleep_with_a_name);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  uint32_t main_thread = 0, sleeper = 0, seen_main = 0, seen_sleeper = 0, looks = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind == optrace_kind_thread_named && r->word[0] >> 32 == own) main_thread = r->subject;
    if (r->kind == optrace_kind_thread_named && r->length == 10 && memcmp(r->text, "who sleeps", 10) == 0) sleeper = r->subject;
    if (r->kind == optrace_kind_looked) {
      looks++;
      EXPECT(r->word[0] >> 48 == 5 && (r->word[0] & 0xFFFF) >= 3);
    }
  }
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind != optrace_kind_thread_seen) continue;
    seen_main += main_thread && r->subject == main_thread;
    seen_sleeper += r->subject == sleeper;
    EXPECT((r->word[0] >> 56 & 15) >= 1 && (r->word[0] >> 56 & 15) <= 5);
  }
  // Where a thread runs meanwhile, the look is repeated.
  EXPECT(looks >= 1 && looks <= 3);
  EXPECT(main_thread && sleeper && seen_main == looks && seen_sleeper == looks);
  trace_free(&t);
}

// ---- Snapshots of a program that is still ---------------------------------------------------------------------------

static void run_until_a_snapshot(void) {
  uint64_t before, now;
  if (!optrace_recorder_activity(recording_current, &before)) _exit(1);
  // A snapshot is written once all threads have been read.
  do optrace_recorder_activity(recording_current, &now);
  while (now == before);
}

static void *run_until_seen(void *unused) {
  run_until_a_snapshot();
  for (;;) pause();
  return unused;
}

// As libdispatch's manager does on a busy machine, which wakes once a second, too.
static void *run_in_step(void *unused) {
  const struct timespec half = {.tv_nsec = 500000000};
  for (;;) {
    run_until_a_snapshot();
    nanosleep(&half, NULL);
  }
  return unused;
}

// Tells `parent` when it records, and ends when that is closed. In a process of its own: who watches it would run in each snapshot.
static void hang_beside(void *(*run)(void *), int parent) {
  optrace_recorder *recorder = recording_begin("hangs.optrace", 0, 0, true);
  optrace_operation *operation = optrace_operation_create();
  if (!recorder || !operation || !optrace_operation_attach(operation, 5)) _exit(1);
  optrace_emit_created(recorder, 5, 0, operation);
  optrace_operation_publish(operation, recorder);
  optrace_operation_event(operation, optrace_kind_started);
  pthread_t runner;
  if (pthread_create(&runner, NULL, run, NULL) != 0) _exit(1);
  char byte = 1;
  if (write(parent, &byte, 1) != 1) _exit(1);
  while (read(parent, &byte, 1) < 0) {}
  _exit(optrace_recorder_stop(recorder) != 0);
}

// Records a process in which `run` runs. True if its first snapshot finds a thread running, and its last one finds all asleep.
static bool is_still_at_last(void *(*run)(void *)) {
  int ends[2], status = -1;
  char byte;
  pid_t child = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 ? fork() : -1;
  if (child == 0) {
    close(ends[1]);
    hang_beside(run, ends[0]);
  }
  bool records = child > 0 && close(ends[0]) == 0 && read(ends[1], &byte, 1) == 1 && map_file("hangs.optrace");
  EXPECT(records);
  if (!records) return false;
  // The fifth is the first that may find it still; the usual next snapshot would be taken ten later.
  uint64_t beats = 9 * 2;
  EXPECT(comes_true(has_beaten, &beats));
  close(ends[1]);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  trace t = trace_read("hangs.optrace");
  EXPECT_NOTHING(t.wrong);
  uint32_t snapshots = 0, running = 0, first = 0, last = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind == optrace_kind_thread_seen) running += optrace_thread_seen_read(r->word[0], r->word[1]).running;
    if (r->kind != optrace_kind_looked && r->kind != optrace_kind_looked_again) continue;
    bool is_whole = r->kind == optrace_kind_looked;
    last = running + (is_whole ? optrace_looked_read(r->word[0]).moved : optrace_looked_again_read(r->word[0]).moved);
    if (snapshots++ == 0) first = last;
    running = 0;
  }
  trace_free(&t);
  return snapshots > 1 && first > 0 && last == 0;
}

// On a full machine the thread may get no processor between a snapshot and the next one, and never seems to sleep: then another process
// shows it. Without further snapshots between two heartbeats no process does.
static void expect_still_at_last(void *(*run)(void *)) {
  enum { most_processes = 10 };
  bool is_still = false;
  for (int i = 0; i < most_processes && !is_still; i++) is_still = is_still_at_last(run);
  EXPECT(is_still);
}

TEST(a_snapshot_in_which_a_thread_ran_is_taken_again_soon) {
  SKIP_IF(is_emulated(), "/proc/PID/task/TID/syscall shows the emulator's threads");
  expect_still_at_last(run_until_seen);
}

TEST(a_thread_that_wakes_with_each_heartbeat_is_seen_asleep) {
  SKIP_IF(is_emulated(), "/proc/PID/task/TID/syscall shows the emulator's threads");
  expect_still_at_last(run_in_step);
}

TEST(snapshots_come_again_soon_a_few_times_and_no_more) {
  uint32_t again = 0;
  static const uint32_t expected[] = {1, 2, 4, 10, 10, 10};
  for (int i = 0; i < 6; i++) EXPECT_EQUAL(snapshot_beats_to_next(true, &again), expected[i]);
  // After one in which nothing ran as often again.
  EXPECT_EQUAL(snapshot_beats_to_next(false, &again), 10);
  for (int i = 0; i < 6; i++) EXPECT_EQUAL(snapshot_beats_to_next(true, &again), expected[i]);
}
#endif
