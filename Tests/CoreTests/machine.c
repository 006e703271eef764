// How long the program's threads waited for a processor, and what limits it.
#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "../../Sources/COpTrace/machine/control_group.h"
#include "../../Sources/COpTrace/machine/counted.h"
#include "../../Sources/COpTrace/storage/recorder.h"
#include "COpTrace.h"
#include "COpTraceFields.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

static uint64_t beats(optrace_recorder *recorder) {
  return atomic_load(header_word(recorder, optrace_header_heartbeat_sequence)) / 2;
}

// The look of a heartbeat comes behind it, so it is over when the next one has come: that of the fifth is of a second.
static bool is_looked_at(void *recorder) { return beats(recorder) >= 6; }

static _Atomic bool may_end;

static void *work(void *unused) {
  while (!atomic_load(&may_end)) {}
  return unused;
}

// Records while so many threads compute on one processor.
static trace with_threads(int count) {
  pthread_t threads[8];
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  if (!recorder || sched_setaffinity(0, sizeof one, &one) != 0) core_test_fail(__FILE__, __LINE__, "no recorder, or no processor of its own");
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, work, NULL);
  EXPECT(comes_true(is_looked_at, recorder));
  atomic_store(&may_end, true);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  return trace_read("run.optrace");
}

TEST(threads_that_share_one_processor_wait_for_it) {
  SKIP_IF(is_emulated(), "the emulator counts its own threads");
  trace t = with_threads(4);
  EXPECT_NOTHING(t.wrong);
  uint64_t waited = 0, used = 0, over = 0;
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_machine) continue;
    optrace_machine_fields fields = optrace_machine_read(t.records[i].word[0], t.records[i].word[1]);
    waited += fields.waited;
    used += fields.used;
    over += fields.over;
    EXPECT(fields.processors > 0);
  }
  // One of four has the processor, at most.
  EXPECT(used > 0 && waited >= 2 * used);
  EXPECT(over > 0 && waited >= over);
  trace_free(&t);
}

// Where ids have begun anew, a thread that began later has a smaller one.
TEST(threads_are_found_again_in_any_order_of_their_ids) {
  const counted_threads last = {.count = 4, .all = {{32766, 10, 1}, {303, 20, 2}, {306, 30, 3}, {307, 40, 4}}};
  const uint32_t ids[] = {32766, 306, 310, 307, 303};
  const uint64_t times[] = {10, 30, 0, 40, 20};
  uint32_t next = 0;
  for (size_t i = 0; i < 5; i++) {
    counted_thread before = counted_before(&last, &next, ids[i]);
    EXPECT_EQUAL(before.id, ids[i]);
    EXPECT_EQUAL(before.time, times[i]);
  }
  const counted_threads nobody = {0};
  next = 0;
  EXPECT_EQUAL(counted_before(&nobody, &next, 1).time, 0);
}

static bool numbers_are(const char *text, uint64_t microseconds, uint64_t nanoseconds) {
  return stat_number(text, "throttled_usec") == microseconds && stat_number(text, "throttled_time") == nanoseconds;
}

TEST(numbers_of_a_control_group_are_found_by_their_whole_names) {
  EXPECT(numbers_are("usage_usec 5\nnr_throttled 2\nthrottled_usec 1500\n", 1500, 0));
  EXPECT(numbers_are("nr_periods 3\nthrottled_time 7000", 0, 7000));
  EXPECT(numbers_are("xthrottled_time 1\nthrottled_times 2\n", 0, 0));
  EXPECT(numbers_are("", 0, 0));
  EXPECT(numbers_are("\n\n", 0, 0));
  EXPECT(numbers_are("throttled_usec", 0, 0));
}

TEST(a_process_may_use_the_processors_that_it_may_run_on) {
  SKIP_IF(is_emulated(), "the emulator's processors are the system's");
  control_group none = {0};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  EXPECT_EQUAL(processors_allowed(&none), 100);
  EXPECT_EQUAL(control_group_throttled(&none), 0);
}
#endif
