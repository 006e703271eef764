// What threads share: operations that get their number once, bits, the cache, signals, tasks of Swift's runtime as they lie in memory.
#include <stdatomic.h>
#include <string.h>

#include "../../Sources/COpTrace/waits/once.h"
#include "CRecorderInside.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

enum { threads = 4, objects = 20000 };

static optrace_operation *operations[objects];
static _Atomic uint32_t attached, claimed, turned, silent;

// All threads meet the same operations; one describes each, and what the others write comes after that.
static void meet_operations(int which) {
  optrace_recorder *recorder = recording_current;
  for (uint32_t i = 0; i < objects; i++) {
    optrace_operation *operation = operations[i];
    if (optrace_operation_attach(operation, i + 1)) {
      atomic_fetch_add(&attached, 1);
      optrace_emit_created(recorder, i + 1, 0, NULL);
      optrace_operation_publish(operation, recorder);
    }
    if (optrace_operation_is_silent(operation) || optrace_operation_known(operation, recorder) != i + 1) atomic_fetch_add(&silent, 1);
    optrace_operation_event2(operation, optrace_kind_block_began, (uint64_t)which);
    if (optrace_operation_claim(operation, optrace_bit_used)) atomic_fetch_add(&claimed, 1);
    if (optrace_operation_turn(operation, optrace_bit_ready, true)) atomic_fetch_add(&turned, 1);
  }
}

TEST(an_operation_is_described_once_and_before_anything_else_of_it) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  for (int i = 0; i < objects; i++) REQUIRE((operations[i] = optrace_operation_create()));
  on_threads(threads, meet_operations);
  EXPECT_EQUAL(attached, objects);
  EXPECT_EQUAL(claimed, objects);
  EXPECT_EQUAL(turned, objects);
  EXPECT_EQUAL(silent, 0);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  static uint64_t created[objects + 1];
  for (size_t i = 0; i < t.count; i++)
    if (t.records[i].kind == optrace_kind_operation_created) created[t.records[i].subject] = t.records[i].ticks;
  // Whose time is another thread's. The counter is read without waiting for what comes before, and may differ a little between cores.
  uint64_t skew = optrace_clock_frequency() / 1000;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind != optrace_kind_block_began) continue;
    if (!created[r->subject] || r->ticks + skew < created[r->subject]) EXPECT(!"a block began before its operation was there");
  }
  EXPECT_EQUAL(trace_count(&t, optrace_kind_block_began), threads * objects);
  trace_free(&t);
  for (int i = 0; i < objects; i++) optrace_operation_destroy(operations[i]);
}

enum { keys = 1000 };
static void use_cache(int which) {
  (void)which;
  for (uint64_t round = 0; round < 50; round++)
    for (uint64_t i = 1; i <= keys; i++) {
      uint32_t id = optrace_cache_find(recording_current, i * 64, i);
      if (id && id != i) EXPECT(!"a key has another's text");
      if (!id) optrace_cache_add(recording_current, i * 64, i, (uint32_t)i);
    }
}

TEST(the_cache_never_gives_another_text) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  on_threads(threads, use_cache);
  uint32_t known = 0;
  for (uint64_t i = 1; i <= keys; i++) known += optrace_cache_find(recorder, i * 64, i) == i;
  EXPECT(known > keys / 2);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

TEST(the_last_signal_of_an_object_is_known) {
  for (uint64_t seed = 1; seed <= 40; seed++) EXPECT_EQUAL(test_signals_forgotten(seed, 100), 0);
}

TEST(who_waits_for_an_initialiser_is_known_with_who_runs_it) {
  static char token, other;
  const stack_start start = {.pc = 1, .sp = 2, .bp = 3};
  uint32_t self = optrace_thread_id(), numbers[300];
  once_waiter found;
  EXPECT(!once_find(self, &found));
  uint32_t outer = once_enter(&token, start);
  REQUIRE(outer && once_find(self, &found));
  EXPECT(found.token == (uintptr_t)&token && found.owner == 0 && found.start.sp == 2 && once_still_waits(&found));
  once_runs(outer);
  EXPECT(!once_still_waits(&found) && !once_find(self, &found));
  // It uses the value that it makes; and another one.
  uint32_t inner = once_enter(&token, start);
  EXPECT(once_find(self, &found) && found.token == (uintptr_t)&token && found.owner == self);
  once_leave(inner);
  EXPECT(!once_still_waits(&found));
  inner = once_enter(&other, start);
  EXPECT(once_find(self, &found) && found.token == (uintptr_t)&other && found.owner == 0);
  once_leave(inner);
  once_leave(outer);
  EXPECT(!once_find(self, &found));
  // Where there is no room, nothing is known; and there is room again.
  for (int i = 0; i < 300; i++) numbers[i] = once_enter(&token, start);
  EXPECT(numbers[0] && !numbers[299]);
  for (int i = 0; i < 300; i++) {
    once_runs(numbers[i]);
    once_leave(numbers[i]);
  }
  EXPECT(!once_find(self, &found) && once_enter(&token, start) == numbers[0]);
  once_leave(numbers[0]);
}

#if defined(__linux__)
// As OpTraceTests/TaskPlacesTests has it: null, odd, and where nothing is mapped; a kind that there is not; another task's; data for code.
TEST(tasks_are_read_where_they_fit_and_never_where_not) {
  static const struct { int word; uint64_t value; } odd[] = {{20, 0},  {20, 12345}, {20, 0x10000}, {44, 9},  {44, 0},
                                                             {45, 64}, {7, 64},     {8, 24},       {48, 0x10000}, {49, 64}};
  for (int before = 0; before < 4; before++) {
    test_task_reading reading = test_read_task(1, -1, 0, before);
    EXPECT(reading.fits && reading.functions == 2 && reading.fits_ever);
  }
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    test_task_reading reading = test_read_task(1, odd[i].word, odd[i].value, 3);
    EXPECT(!reading.fits && reading.reason == 0 && reading.functions == 0 && !reading.fits_ever);
  }
}
#endif
