// The flight recorder: a file of one size, in which the newest records are, and those of what is not over.
#include <string.h>

#include "harness.h"
#include "reader.h"
#include "recording.h"

enum { capacity = 512 * 1024, threads = 4, operations_each = 30000, unfinished_each = 5 };

typedef struct {
  uint32_t thread, tid;
} carried;

// What is not over is known by its name alone: `started` without a `finished` that will come.
static void keep_started(void *context, const record *r) {
  carried *c = context;
  if (r->kind == optrace_kind_thread_named && r->subject == r->thread) c->tid = (uint32_t)(r->word[0] >> 32);
  if (r->kind != optrace_kind_started) return;
  uint64_t head = r->kind | (uint64_t)r->subject << 32;
  EXPECT(optrace_carry(recording_current, r->thread, c->tid, r->ticks, (const uint8_t *)&head, 8));
}

static uint32_t carry(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen, uint64_t until) {
  (void)recorder, (void)context;
  if (until != UINT64_MAX) return seen;  // Nothing before the chunk is recycled.
  carried c = {0};
  EXPECT(records_walk(chunk, bytes, &c, keep_started));
  return bytes;
}

static void run_operations(int which) {
  for (uint32_t i = 0; i < operations_each; i++) {
    // The first of each thread never end.
    uint32_t number = (uint32_t)which * operations_each + i + 1;
    if (i < unfinished_each) optrace_emit1(recording_current, optrace_kind_started, number);
    else optrace_emit2(recording_current, optrace_kind_enqueued, number, i);
  }
}

TEST(a_ring_keeps_the_newest_and_what_is_not_over) {
  SKIP_IF(is_emulated(), "the emulator's counter gives many records one time, and their order is not known");
  optrace_recorder *recorder = recording_begin_ring("run.optrace", capacity, carry);
  REQUIRE(recorder);
  on_threads(threads, run_operations);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(t.size, capacity);
  EXPECT_EQUAL(trace_lost(&t), 0);
  EXPECT(trace_header(&t, optrace_header_overwritten_bytes) > 0);

  uint32_t unfinished = 0, last[threads] = {0}, newest = 0;
  static bool is_found[threads * operations_each + 1];
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    uint32_t thread = (r->subject - 1) / operations_each;
    if (r->kind == optrace_kind_started) {
      unfinished += !is_found[r->subject];
      is_found[r->subject] = true;
    }
    if (r->kind != optrace_kind_enqueued) continue;
    REQUIRE(thread < threads);
    EXPECT_EQUAL(r->word[0], (r->subject - 1) % operations_each);
    // What is left of a thread has no hole: only what is oldest goes.
    EXPECT(!last[thread] || r->subject == last[thread] + 1);
    last[thread] = r->subject;
  }
  EXPECT_EQUAL(unfinished, threads * unfinished_each);
  for (uint32_t i = 0; i < threads; i++) newest += last[i] == (i + 1) * operations_each;
  EXPECT(newest >= 1);
  trace_free(&t);
}

TEST(a_ring_that_is_not_full_has_everything) {
  optrace_recorder *recorder = recording_begin("run.optrace", capacity, 0, true);
  REQUIRE(recorder);
  for (uint32_t i = 1; i <= 1000; i++) optrace_emit1(recorder, optrace_kind_ready, i);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ready), 1000);
  EXPECT_EQUAL(trace_header(&t, optrace_header_overwritten_bytes), 0);
  trace_free(&t);
}
