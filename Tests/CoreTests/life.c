// A recorder's life, byte by byte: what is written is in the file, in each thread's order and with its times.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "reader.h"
#include "recording.h"

static const uint8_t *as_bytes(const char *text) { return (const uint8_t *)text; }

TEST(each_kind_of_record_is_in_the_file_as_it_was_given) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  EXPECT(optrace_recorder_is_recording(recorder));
  EXPECT(optrace_define(recorder, optrace_kind_string, 1, 0, 0, as_bytes("a class"), 7));
  optrace_emit1(recorder, optrace_kind_ready, 7);
  optrace_emit2(recorder, optrace_kind_enqueued, 8, 0x1122334455667788);
  optrace_emit3(recorder, optrace_kind_signalled, 9, UINT64_MAX, 5);
  for (uint32_t length = 0; length <= 17; length++)
    optrace_emit_text(recorder, optrace_kind_mark, length, 0xABCD, false, 0, as_bytes("abcdefghijklmnopq"), length);
  optrace_emit_text(recorder, optrace_kind_queue_created, 3, 2, true, 44, as_bytes("a queue"), 7);
  optrace_emit1_at(recorder, optrace_kind_finished, 10, 77);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  EXPECT(!optrace_recorder_is_recording(recorder));
  // A door that is closed stays so.
  optrace_emit1(recorder, optrace_kind_ready, 99);
  EXPECT(!optrace_define(recorder, optrace_kind_string, 2, 0, 0, as_bytes("late"), 4));
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);

  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_lost(&t), 0);
  REQUIRE(t.count == 1 + 1 + 3 + 18 + 1 + 2);
  const record *r = t.records;
  EXPECT(r->kind == optrace_kind_string && r->chunk_kind == optrace_chunk_kind_definitions && r->subject == 1 && r->thread == 0);
  EXPECT(r->length == 7 && memcmp(r->text, "a class", 7) == 0);
  r++;
  // Who writes says its name first.
  EXPECT(r->kind == optrace_kind_thread_named && r->subject == 1 && r->word[0] >> 32 == optrace_thread_id());
  r++;
  EXPECT(r->kind == optrace_kind_ready && r->subject == 7 && r->thread == 1);
  r++;
  EXPECT(r->kind == optrace_kind_enqueued && r->subject == 8 && r->word[0] == 0x1122334455667788);
  r++;
  EXPECT(r->kind == optrace_kind_signalled && r->subject == 9 && r->word[0] == UINT64_MAX && r->word[1] == 5);
  for (uint32_t length = 0; length <= 17; length++) {
    r++;
    EXPECT(r->kind == optrace_kind_mark && r->subject == length && r->length == length && r->word[0] >> 32 == 0xABCD);
    EXPECT(memcmp(r->text, "abcdefghijklmnopq", length) == 0);
  }
  r++;
  EXPECT(r->kind == optrace_kind_queue_created && r->subject == 3 && r->word[0] >> 32 == 2 && r->word[1] == 44);
  EXPECT(r->length == 7 && memcmp(r->text, "a queue", 7) == 0);
  r++;
  // Where it was comes with it, at the same time.
  EXPECT(r[0].kind == optrace_kind_finished && r[0].subject == 10 && r[1].kind == optrace_kind_stood_at && r[1].subject == 77);
  EXPECT_EQUAL(r[0].ticks, r[1].ticks);
  trace_free(&t);
}

// ---- Many threads --------------------------------------------------------------------------------------------------

enum { threads = 8, operations_each = 3000 };
static _Atomic uint64_t serials_seen;

// The same for the same thread and operation; nothing for most of them.
static uint32_t mark_length(uint32_t thread, uint32_t i) { return (thread * 31 + i * 7) % 100 < 12 ? (thread + i) % 61 : 0; }
static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk";

static void run_operations(int which) {
  optrace_recorder *recorder = recording_current;
  for (uint32_t i = 0; i < operations_each; i++) {
    uint32_t serial = optrace_recorder_next_serial(recorder);
    atomic_fetch_add(&serials_seen, serial);
    optrace_emit2(recorder, optrace_kind_operation_created, serial, 0);
    optrace_emit1(recorder, optrace_kind_started, serial);
    optrace_emit1(recorder, optrace_kind_execution_began, serial);
    uint32_t length = mark_length((uint32_t)which, i);
    if (length) optrace_emit_text(recorder, optrace_kind_mark, serial, (uint32_t)which << 16, false, 0, as_bytes(letters), length);
    optrace_emit1(recorder, optrace_kind_execution_ended, serial);
    optrace_emit1(recorder, optrace_kind_finished, serial);
    optrace_emit1(recorder, optrace_kind_released, serial);
  }
}

typedef struct {
  uint64_t ticks;
  uint32_t serial, step, operations, marks;
} thread_state;

// Each thread's records are its operations, one after the other, each with all of its steps, and times that never go back.
static void follow(thread_state *state, const record *r) {
  static const uint8_t steps[] = {optrace_kind_operation_created, optrace_kind_started, optrace_kind_execution_began,
                                  optrace_kind_execution_ended, optrace_kind_finished, optrace_kind_released};
  EXPECT(r->ticks >= state->ticks);
  state->ticks = r->ticks;
  if (r->kind == optrace_kind_thread_named || r->kind == optrace_kind_time || r->kind == optrace_kind_thread_switched) return;
  if (r->kind == optrace_kind_mark) {
    EXPECT(state->step == 3 && r->subject == state->serial && memcmp(r->text, letters, r->length) == 0);
    state->marks++;
    return;
  }
  if (state->step == 0) state->serial = r->subject;
  EXPECT(r->kind == steps[state->step] && r->subject == state->serial);
  state->step = (state->step + 1) % (sizeof steps);
  state->operations += state->step == 0;
}

static void record_on_many_threads(const char *path, bool use_counter) {
  optrace_recorder *recorder = recording_begin(path, 0, 0, use_counter);
  REQUIRE(recorder);
  serials_seen = 0;
  on_threads(threads, run_operations);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);

  trace t = trace_read(path);
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_lost(&t), 0);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_operation_created), threads * operations_each);
  static thread_state states[threads + 1];
  memset(states, 0, sizeof states);
  uint64_t serials = 0;
  uint32_t marks = 0, expected_marks = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    // Threads that end leave their place in the file to others, and not their number.
    REQUIRE(r->thread >= 1 && r->thread <= threads);
    follow(&states[r->thread], r);
    if (r->kind == optrace_kind_operation_created) serials += r->subject;
  }
  for (int i = 1; i <= threads; i++) {
    EXPECT_EQUAL(states[i].operations, operations_each);
    marks += states[i].marks;
  }
  for (uint32_t i = 0; i < threads * operations_each; i++) expected_marks += mark_length(i / operations_each, i % operations_each) != 0;
  EXPECT_EQUAL(marks, expected_marks);
  EXPECT_EQUAL(serials, serials_seen);
  trace_free(&t);
}

TEST(many_threads_keep_their_order_by_the_counter) { record_on_many_threads("run.optrace", true); }
TEST(many_threads_keep_their_order_by_the_monotonic_clock) { record_on_many_threads("run.optrace", false); }

// For another reader: Swift's, which runs elsewhere.
TEST(leaves_a_trace_where_one_is_asked_for) {
  const char *path = getenv("CORE_TESTS_LEAVE");
  if (path && *path) record_on_many_threads(path, true);
}

static void *run_two(void *unused) {
  optrace_emit1(recording_current, optrace_kind_ready, 1);
  optrace_emit1(recording_current, optrace_kind_ready, 2);
  return unused;
}

TEST(a_thread_that_ends_leaves_its_chunk_to_the_next) {
  enum { short_threads = 100 };
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  for (int i = 0; i < short_threads; i++) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run_two, NULL) == 0);
    pthread_join(thread, NULL);
  }
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT(t.chunks < 20);
  // One more: on a busy machine the recorder's own thread has something to say.
  uint32_t seen[short_threads + 2] = {0}, complete = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind != optrace_kind_ready) continue;
    REQUIRE(r->thread >= 1 && r->thread <= short_threads + 1);
    EXPECT_EQUAL(r->subject, ++seen[r->thread]);
    complete += seen[r->thread] == 2;
  }
  EXPECT_EQUAL(complete, short_threads);
  trace_free(&t);
}

// ---- Time ----------------------------------------------------------------------------------------------------------

typedef struct {
  uint64_t before, ticks, after;
} clock_reading;

static clock_reading read_clocks(void) {
  clock_reading r;
  r.before = optrace_clock_monotonic();
  r.ticks = optrace_clock_ticks();
  r.after = optrace_clock_monotonic();
  return r;
}

// Between two readings the counter has gone on as far as the monotonic clock may have, whenever the thread was halted.
TEST(the_counter_goes_as_its_frequency_says) {
  clock_reading first = read_clocks(), last;
  do last = read_clocks();
  while (last.before - first.after < 300000000);
  EXPECT(optrace_clock_frequency() >= 1000000);
  double passed = (double)(last.ticks - first.ticks) * 1e9 / (double)optrace_clock_frequency();
  EXPECT(passed >= (double)(last.before - first.after) * 0.98);
  EXPECT(passed <= (double)(last.after - first.before) * 1.02);
#if defined(__aarch64__)
  uint64_t frequency;
  __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
  EXPECT(!optrace_clock_has_counter() || optrace_clock_frequency() == frequency);
#endif
}

TEST(ticks_never_go_back_on_a_thread) {
  uint64_t before = optrace_clock_ticks();
  for (int i = 0; i < 1000000; i++) {
    uint64_t now = optrace_clock_ticks();
    if (now < before) EXPECT(now >= before);
    before = now;
  }
}

static void check_times(bool use_counter) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, use_counter);
  REQUIRE(recorder);
  bool counts = use_counter && optrace_clock_has_counter();
  uint64_t (*now)(void) = counts ? optrace_clock_ticks : optrace_clock_monotonic;
  uint64_t times[6];
  times[0] = now();
  optrace_emit1(recorder, optrace_kind_ready, 1);
  times[1] = now();
  // Farther than the 24 bits of a record go.
  while (now() - times[1] <= optrace_format_largest_delta) usleep(10000);
  times[2] = now();
  optrace_emit1(recorder, optrace_kind_ready, 2);
  times[3] = now();
  optrace_emit1(recorder, optrace_kind_ready, 3);
  times[4] = times[5] = now();
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_time), 1);
  EXPECT_EQUAL(trace_header(&t, optrace_header_ticks_per_second), counts ? optrace_clock_frequency() : 1000000000);
  EXPECT(trace_header(&t, optrace_header_start_ticks) <= times[0]);
  EXPECT(trace_header(&t, optrace_header_heartbeat_ticks) >= times[4]);
  EXPECT(trace_header(&t, optrace_header_heartbeat_monotonic) > trace_header(&t, optrace_header_start_monotonic));
  uint32_t seen = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind != optrace_kind_ready) continue;
    EXPECT_EQUAL(r->subject, ++seen);
    uint64_t from = times[seen == 1 ? 0 : seen], until = times[seen == 1 ? 1 : seen + 1];
    EXPECT(r->ticks >= from && r->ticks <= until);
  }
  EXPECT_EQUAL(seen, 3);
  trace_free(&t);
}

TEST(records_have_their_times_by_the_counter) { check_times(true); }
TEST(records_have_their_times_by_the_monotonic_clock) { check_times(false); }

TEST(a_new_operation_says_how_old_it_is) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  optrace_operation *operation = optrace_operation_create();
  REQUIRE(recorder && operation);
  uint64_t after = optrace_clock_ticks(), made = optrace_operation_created(operation);
  EXPECT(made <= after);
  while (optrace_clock_ticks() - after < optrace_clock_frequency() / 100) usleep(1000);
  EXPECT(optrace_operation_attach(operation, 5));
  optrace_emit_created(recorder, 5, 0, operation);
  optrace_operation_publish(operation, recorder);
  optrace_operation_event(operation, optrace_kind_started);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind != optrace_kind_operation_created) continue;
    uint64_t age = (r->word[0] >> 24) * optrace_format_age_unit;
    EXPECT(r->ticks - age >= made && r->ticks - age < made + optrace_format_age_unit);
  }
  EXPECT_EQUAL(trace_count(&t, optrace_kind_operation_created), 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_started), 1);
  trace_free(&t);
  optrace_operation_destroy(operation);
}
