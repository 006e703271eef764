// What a flight recorder keeps: as the event table says.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "../../Sources/COpTrace/describe/numbers.h"
#include "COpTraceFields.h"
#include "COpTraceTraits.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

enum { smallest = 256 * 1024, operation = 4001, queue = 71, span = 9001, object = 0x7f0040, waiter = 55 };

static void emit_marks(optrace_recorder *recorder, int count) {
  static const uint8_t text[] = "a mark that fills the ring";
  for (int i = 0; i < count; i++) optrace_emit_text(recorder, optrace_kind_mark, 0, 0, false, 0, text, sizeof text - 1);
}

static void fill(optrace_recorder *recorder) { emit_marks(recorder, 40000); }

// ---- Each kind -----------------------------------------------------------------------------------------------------

static uint32_t subject_of(uint8_t kind) {
  if (kind == optrace_kind_queue_wait_began || kind == optrace_kind_queue_wait_ended) return queue;
  if (optrace_carries[kind] == optrace_carry_while_queue_exists) return queue;
  if (optrace_carries[kind] == optrace_carry_while_span_open) return span;
  if (kind == optrace_kind_object_named || kind == optrace_kind_wait_lasts) return 0;
  return kind == optrace_kind_span_ended ? span : kind == optrace_kind_stood_at ? 6 : operation;
}

static void emit(optrace_recorder *recorder, uint8_t kind, uint32_t waits) {
  uint64_t word1 = 0, word2 = 0;
  switch (kind) {
    case optrace_kind_wait_lasts:
      word1 = optrace_wait_lasts_word1((optrace_wait_lasts_fields){.thread = 1, .on = operation});
      break;
    case optrace_kind_blocked:
    case optrace_kind_signalled:
    case optrace_kind_unblocked:
      word1 = optrace_blocked_word1((optrace_blocked_fields){.object = object, .kind = optrace_object_queue});
      word2 = optrace_blocked_word2((optrace_blocked_fields){.thread = waits});
      break;
    case optrace_kind_span_began: word1 = optrace_span_began_word1((optrace_span_began_fields){.id = span}); break;
    case optrace_kind_object_named: word2 = optrace_object_named_word2((optrace_object_named_fields){.object = object}); break;
    default: break;
  }
  bool has_word2 =
    kind == optrace_kind_object_named || kind == optrace_kind_queue_created || kind == optrace_kind_span_context;
  switch (kind >> 6) {
    case 0: optrace_emit1(recorder, kind, subject_of(kind)); break;
    case 1: optrace_emit2(recorder, kind, subject_of(kind), word1); break;
    case 2: optrace_emit3(recorder, kind, subject_of(kind), word1, word2); break;
    default:
      optrace_emit_text(recorder, kind, subject_of(kind), (uint32_t)(word1 >> 32), has_word2, word2, (const uint8_t *)"text", 4);
  }
}

static bool is_end(uint8_t kind) { return optrace_bounds[kind].bound >= optrace_bound_ends; }
static bool is_behind_another(uint8_t kind) {
  return optrace_carries[kind] == optrace_carry_with_wait_before || optrace_carries[kind] == optrace_carry_with_record_before;
}

// In an order in which all of them go on: an operation and a queue, the task's last suspension, and what belongs to a wait behind
// it.
static void emit_open(optrace_recorder *recorder, uint32_t waits, bool with_names) {
  emit(recorder, optrace_kind_operation_created, waits);
  emit(recorder, optrace_kind_queue_created, waits);
  emit(recorder, optrace_kind_task_suspended, waits);
  for (int kind = 1; kind < 256; kind++) {
    uint8_t one = (uint8_t)kind, carries = optrace_carries[one];
    if (carries == optrace_carry_never || is_end(one) || is_behind_another(one) || one == optrace_kind_dispatch_queue) continue;
    if (one == optrace_kind_operation_created || one == optrace_kind_queue_created) continue;
    if (one == optrace_kind_task_suspended || (carries == optrace_carry_while_newest && !with_names)) continue;
    emit(recorder, one, waits);
    if (one != optrace_kind_blocked) continue;
    emit(recorder, optrace_kind_stood_at, waits);
    emit(recorder, optrace_kind_processor_time, waits);
    emit(recorder, optrace_kind_signalled, waits);
  }
}

static trace stopped(optrace_recorder *recorder) {
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT(trace_header(&t, optrace_header_overwritten_bytes) > 100000);
  return t;
}

TEST(a_ring_carries_of_each_kind_what_goes_on) {
  optrace_recorder *recorder = recording_begin_flight("run.optrace", smallest);
  REQUIRE(recorder);
  emit_open(recorder, waiter, true);
  fill(recorder);
  trace t = stopped(recorder);
  EXPECT_EQUAL(trace_lost(&t), 0);
  for (int kind = 1; kind < 256; kind++) {
    uint8_t one = (uint8_t)kind;
    // What refers to a dispatch queue: see rings.c.
    if (optrace_carries[one] == optrace_carry_never || is_end(one) || one == optrace_kind_dispatch_queue) continue;
    if (!trace_count(&t, one)) core_test_fail(__FILE__, __LINE__, "kind 0x%02X is not carried", one);
  }
  EXPECT(trace_count(&t, optrace_kind_mark) > 0 && trace_count(&t, optrace_kind_mark) < 40000);
  trace_free(&t);
}

TEST(a_ring_carries_nothing_of_what_is_over) {
  optrace_recorder *recorder = recording_begin_flight("run.optrace", smallest);
  REQUIRE(recorder);
  emit_open(recorder, 0, false);
  for (int kind = 1; kind < 256; kind++)
    if (optrace_bounds[kind].bound == optrace_bound_ends) emit(recorder, (uint8_t)kind, 0);
  fill(recorder);
  trace t = stopped(recorder);
  for (size_t i = 0; i < t.count; i++) {
    uint8_t kind = t.records[i].kind;
    // The recorder names its threads itself, and keeps the clock.
    // And what is carried in any case is never over.
    if (optrace_carries[kind] != optrace_carry_never && optrace_carries[kind] != optrace_carry_always)
      core_test_fail(__FILE__, __LINE__, "kind 0x%02X is carried", kind);
  }
  trace_free(&t);
}

static size_t count_of(const trace *t, uint8_t kind, uint32_t subject) {
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) count += t->records[i].kind == kind && t->records[i].subject == subject;
  return count;
}

// Each time its end is told of in `finish`, in a chunk that is gone at the end.
static trace ended_after_it_was_carried(void (*finish)(optrace_recorder *recorder), int fills) {
  optrace_recorder *recorder = recording_begin_flight("run.optrace", smallest);
  if (!recorder) return (trace){.wrong = "it did not begin"};
  emit(recorder, optrace_kind_operation_created, 0);
  emit(recorder, optrace_kind_started, 0);
  emit(recorder, optrace_kind_queue_created, 0);
  emit(recorder, optrace_kind_wait_began, 0);
  emit(recorder, optrace_kind_queue_wait_began, 0);
  emit(recorder, optrace_kind_span_began, 0);
  optrace_emit3(recorder, optrace_kind_block_submitted, operation + 1, 0, 0);
  optrace_emit3(recorder, optrace_kind_task_created, operation + 2, 0, 0);
  fill(recorder);
  finish(recorder);
  for (int i = 0; i < fills; i++) fill(recorder);
  return stopped(recorder);
}

static void finish_all(optrace_recorder *recorder) {
  emit(recorder, optrace_kind_ended_finished, 0);
  emit(recorder, optrace_kind_queue_released, 0);
  emit(recorder, optrace_kind_wait_ended, 0);
  emit(recorder, optrace_kind_queue_wait_ended, 0);
  emit(recorder, optrace_kind_span_ended, 0);
  optrace_emit1(recorder, optrace_kind_run_ended, operation + 1);
  optrace_emit1(recorder, optrace_kind_task_completed, operation + 2);
}

// The chunk of what was carried is not full, so it stays for as long as nothing else is carried.
TEST(a_ring_keeps_the_end_of_what_it_carried) {
  trace t = ended_after_it_was_carried(finish_all, 2);
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(trace_lost(&t), 0);
  static const struct {
    uint8_t begins, ends;
    uint32_t subject, ended;
  } all[] = {
    {optrace_kind_operation_created, optrace_kind_ended_finished, operation, operation},
    {optrace_kind_queue_created, optrace_kind_queue_released, queue, queue},
    {optrace_kind_wait_began, optrace_kind_wait_ended, operation, operation},
    {optrace_kind_queue_wait_began, optrace_kind_queue_wait_ended, queue, queue},
    {optrace_kind_span_began, optrace_kind_span_ended, operation, span},
    {optrace_kind_block_submitted, optrace_kind_run_ended, operation + 1, operation + 1},
    {optrace_kind_task_created, optrace_kind_task_completed, operation + 2, operation + 2},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    // With its end, once, or not at all.
    size_t begun = count_of(&t, all[i].begins, all[i].subject), ended = count_of(&t, all[i].ends, all[i].ended);
    if (begun != ended || ended > 1) core_test_fail(__FILE__, __LINE__, "0x%02X: begun %zu, ended %zu", all[i].begins, begun, ended);
  }
  trace_free(&t);
}

static void wait_often(optrace_recorder *recorder) {
  for (int i = 0; i < 1000; i++) {
    emit(recorder, optrace_kind_wait_ended, 0);
    emit(recorder, optrace_kind_wait_began, 0);
  }
  emit(recorder, optrace_kind_wait_ended, 0);
}

TEST(a_ring_keeps_one_end_of_many) {
  trace t = ended_after_it_was_carried(wait_often, 2);
  EXPECT_NOTHING(t.wrong);
  // Waits that were open when the ring carried older records, each with its end.
  EXPECT_EQUAL(trace_count(&t, optrace_kind_wait_began), trace_count(&t, optrace_kind_wait_ended));
  EXPECT(trace_count(&t, optrace_kind_wait_began) < 100);
  trace_free(&t);
}

// What carried chunks hold goes with them: neither ends nor beginnings pile up.
TEST(a_ring_forgets_what_was_carried_and_is_over) {
  enum { rounds = 40, at_once = 200 };
  optrace_recorder *recorder = recording_begin_flight("run.optrace", smallest);
  REQUIRE(recorder);
  for (uint32_t round = 0; round < rounds; round++) {
    for (uint32_t i = 1; i <= at_once; i++) optrace_emit2(recorder, optrace_kind_operation_created, round * at_once + i, 0);
    // The smallest ring twice.
    emit_marks(recorder, 2 * smallest / 40);
    for (uint32_t i = 1; i <= at_once; i++) optrace_emit1(recorder, optrace_kind_ended_finished, round * at_once + i);
  }
  fill(recorder);
  trace t = stopped(recorder);
  EXPECT_EQUAL(trace_lost(&t), 0);
  size_t begun = trace_count(&t, optrace_kind_operation_created), ended = trace_count(&t, optrace_kind_ended_finished);
  EXPECT(begun < rounds * at_once / 2 && ended < rounds * at_once / 2);
  static uint8_t has_end[rounds * at_once + 1];
  for (size_t i = 0; i < t.count; i++)
    if (t.records[i].kind == optrace_kind_ended_finished) has_end[t.records[i].subject] = 1;
  for (size_t i = 0; i < t.count; i++)
    if (t.records[i].kind == optrace_kind_operation_created) EXPECT(has_end[t.records[i].subject]);
  trace_free(&t);
}

// ---- Waits ---------------------------------------------------------------------------------------------------------

static optrace_recorder *meeting;
static uint32_t the_waiter;

// All of some threads wait for each other. (Not every system has `pthread_barrier_t`.)
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static unsigned meeting_threads, arrived, turn;

static void meet(void) {
  pthread_mutex_lock(&turn_lock);
  unsigned mine = turn;
  if (++arrived == meeting_threads) {
    arrived = 0;
    turn++;
    pthread_cond_broadcast(&turn_changed);
  }
  while (turn == mine) pthread_cond_wait(&turn_changed, &turn_lock);
  pthread_mutex_unlock(&turn_lock);
}

static uint64_t wait_word(uint8_t kind, uint64_t of) {
  return optrace_unblocked_word1((optrace_unblocked_fields){.object = of, .kind = kind});
}

// A thread waits for a semaphore and gets it, then for a dispatch queue for ever.
static void *wait_twice(void *fills) {
  optrace_emit2(meeting, optrace_kind_operation_created, 1, 0);
  meet();
  meet();
  optrace_emit2(meeting, optrace_kind_unblocked, 1, wait_word(optrace_object_semaphore, 16));
  if (fills) fill(meeting);
  meet();
  meet();
  return NULL;
}

static void tell(uint64_t word, const char *name) {
  uint64_t wait = optrace_blocked_word2((optrace_blocked_fields){.thread = the_waiter, .age = 1});
  optrace_emit3(meeting, optrace_kind_blocked, 1, word, wait);
  if (name)
    optrace_emit_text(meeting, optrace_kind_object_named, 0, 0, true, optrace_unblocked_read(word).object,
                      (const uint8_t *)name, strlen(name));
  optrace_emit3(meeting, optrace_kind_signalled, 0, word, 2);
}

// Another thread tells of both. `fills`: who has its chunks recycled.
static void waits_outlive(bool waiter_fills, bool teller_fills) {
  pthread_t thread;
  meeting = recording_begin_flight("run.optrace", smallest);
  // The thread that records first has the number 1.
  the_waiter = 1;
  meeting_threads = 2;
  REQUIRE(meeting);
  REQUIRE(pthread_create(&thread, NULL, wait_twice, waiter_fills ? &the_waiter : NULL) == 0);
  meet();
  tell(wait_word(optrace_object_semaphore, 16), NULL);
  meet();
  meet();
  tell(wait_word(optrace_object_queue, object), "com.example.db");
  if (teller_fills) fill(meeting);
  trace t = stopped(meeting);
  EXPECT_EQUAL(trace_lost(&t), 0);
  size_t open = 0, begun = 0, signalled = 0, ended = 0;
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    bool is_queue = r->word[0] == wait_word(optrace_object_queue, object);
    if (r->kind == optrace_kind_blocked) begun++, open += is_queue;
    if (r->kind == optrace_kind_signalled) signalled += is_queue;
    if (r->kind == optrace_kind_unblocked) ended++;
  }
  EXPECT_EQUAL(open, 1);
  EXPECT_EQUAL(signalled, 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_object_named), 1);
  // What ended is there with its end, or not at all.
  EXPECT(begun == 1 || (begun == 2 && !(waiter_fills && teller_fills)));
  EXPECT(begun == 1 || ended >= 1);
  trace_free(&t);
  meet();
  pthread_join(thread, NULL);
}

TEST(a_ring_keeps_the_wait_that_goes_on_when_the_teller_is_busy) { waits_outlive(false, true); }
TEST(a_ring_keeps_the_wait_that_goes_on_when_the_waiter_is_busy) { waits_outlive(true, false); }
TEST(a_ring_keeps_the_wait_that_goes_on_when_both_are_busy) { waits_outlive(true, true); }

// ---- Operations of many threads ------------------------------------------------------------------------------------

enum { threads = 4, each = 20000, unfinished = 10 };

// Finished by another thread than the one that made it, also before that one's chunk is full.
static void make_and_finish(int which) {
  for (uint32_t i = 0; i < each; i++) {
    uint32_t number = (uint32_t)which * each + i + 1, other = (uint32_t)((which + 1) % threads) * each + i + 1;
    optrace_emit2(meeting, optrace_kind_operation_created, number, 0);
    optrace_emit2(meeting, optrace_kind_enqueued, number, 1);
    meet();
    if (i >= unfinished) optrace_emit1(meeting, optrace_kind_ended_finished, other);
  }
}

TEST(a_ring_keeps_all_of_operations_that_others_do_not_finish) {
  meeting = recording_begin_flight("run.optrace", 512 * 1024);
  meeting_threads = threads;
  REQUIRE(meeting);
  on_threads(threads, make_and_finish);
  trace t = stopped(meeting);
  EXPECT_EQUAL(trace_lost(&t), 0);
  uint32_t seen[threads][unfinished] = {{0}};
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    uint32_t index = (r->subject - 1) % each;
    if ((r->kind == optrace_kind_operation_created || r->kind == optrace_kind_enqueued) && r->subject && index < unfinished)
      seen[(r->subject - 1) / each][index]++;
    // Of what is over only the newest is there.
    if (r->kind == optrace_kind_operation_created) EXPECT(index < unfinished || index > each / 4);
  }
  for (int i = 0; i < threads; i++)
    for (int k = 0; k < unfinished; k++) EXPECT_EQUAL(seen[i][k], 2);
  trace_free(&t);
}

TEST(unfinished_operations_that_fill_a_ring_are_counted) {
  optrace_recorder *recorder = recording_begin_flight("run.optrace", smallest);
  REQUIRE(recorder);
  for (uint32_t i = 1; i <= 40000; i++) optrace_emit2(recorder, optrace_kind_operation_created, i, 0);
  trace t = stopped(recorder);
  bool has_first = false, has_last = false;
  for (size_t i = 0; i < t.count; i++) {
    has_first |= t.records[i].kind == optrace_kind_operation_created && t.records[i].subject == 1;
    has_last |= t.records[i].kind == optrace_kind_operation_created && t.records[i].subject == 40000;
  }
  EXPECT(has_first && has_last && trace_lost(&t) > 0);
  trace_free(&t);
}

// ---- The tables ----------------------------------------------------------------------------------------------------

static bool is_even(const void *context, const number_entry *entry) {
  (void)context;
  return entry->value % 2 == 0;
}

#if defined(__GLIBC__)
// Two threads take turns, a batch each: with a turn for each number, a loaded machine takes minutes.
enum { pairs = 100000, batch = 20 };
static _Atomic uint32_t made, done;
static size_t memory_at_half;

static size_t memory_in_use(void) {
  struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

static void wait_until(_Atomic uint32_t *what, uint32_t number) {
  while (atomic_load(what) < number) sched_yield();
}

// Whoever creates an operation also releases it, while another thread finishes it. The release may be scanned before the end.
static void make_or_finish(int which) {
  for (uint32_t last = batch; last <= pairs; last += batch) {
    if (which) {
      wait_until(&made, last);
      for (uint32_t number = last - batch + 1; number <= last; number++)
        optrace_emit1(recording_current, optrace_kind_finished, number);
      atomic_store(&done, last);
    } else {
      if (last == pairs / 2) memory_at_half = memory_in_use();
      for (uint32_t number = last - batch + 1; number <= last; number++)
        optrace_emit2(recording_current, optrace_kind_operation_created, number, 0);
      atomic_store(&made, last);
      wait_until(&done, last);
      for (uint32_t number = last - batch + 1; number <= last; number++)
        optrace_emit1(recording_current, optrace_kind_released, number);
    }
  }
}

// The chunk with a task's end is scanned before the one with its beginning and its suspension.
static void suspend_or_complete(int which) {
  static const uint8_t text[] = "a mark that fills a chunk";
  for (uint32_t last = batch; last <= pairs; last += batch) {
    if (which) {
      wait_until(&made, last);
      for (uint32_t number = last - batch + 1; number <= last; number++) {
        optrace_emit1(recording_current, optrace_kind_task_completed, number);
        for (int i = 0; i < 4; i++) optrace_emit_text(recording_current, optrace_kind_mark, 0, 0, false, 0, text, sizeof text - 1);
      }
      atomic_store(&done, last);
    } else {
      if (last == pairs / 2) memory_at_half = memory_in_use();
      for (uint32_t number = last - batch + 1; number <= last; number++) {
        optrace_emit3(recording_current, optrace_kind_task_created, number, 0, 0);
        optrace_emit2(recording_current, optrace_kind_task_suspended, number, 0);
      }
      atomic_store(&made, last);
      wait_until(&done, last);
    }
  }
}

static void expect_no_growth(void (*body)(int which)) {
  REQUIRE(recording_begin_flight("run.optrace", 256 * 1024));
  atomic_store(&made, 0);
  atomic_store(&done, 0);
  on_threads(2, body);
  size_t end = memory_in_use();
  if (end > memory_at_half + 128 * 1024)
    core_test_fail(__FILE__, __LINE__, "%zu bytes at half, %zu at the end", memory_at_half, end);
  EXPECT_EQUAL(optrace_recorder_stop(recording_current), 0);
}

TEST(a_ring_keeps_no_number_of_tasks_that_are_over) { expect_no_growth(suspend_or_complete); }

TEST(a_ring_keeps_no_number_of_operations_that_their_creators_release) { expect_no_growth(make_or_finish); }
#endif

TEST(tables_of_numbers_hold_what_was_put_in) {
  enum { most = 3000, rounds = 200000 };
  static bool has[most];
  static uint64_t values[most];
  number_set set = {0};
  number_map map = {0};
  uint64_t state = core_test_seed();
  uint32_t expected = 0;
  for (int i = 0; i < rounds; i++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t number = (uint32_t)(state >> 33) % (most - 1) + 1;
    bool removes = state >> 62 & 1;
    EXPECT_EQUAL(number_set_has(&set, number), has[number]);
    if (removes) {
      EXPECT_EQUAL(number_set_remove(&set, number), has[number]);
      number_map_remove(&map, number * 0x100000000ull, number % 3);
      expected -= has[number];
    } else {
      uint64_t *value = number_map_add(&map, number * 0x100000000ull, number % 3);
      REQUIRE(number_set_add(&set, number) && value);
      EXPECT_EQUAL(*value, has[number] ? values[number] : 0);
      *value = values[number] = state;
      expected += !has[number];
    }
    has[number] = !removes;
    if (i % 50000 == 49999) {
      number_map_filter(&map, NULL, is_even);
      for (uint32_t k = 1; k < most; k++)
        if (has[k] && values[k] % 2) expected -= number_set_remove(&set, k), has[k] = false;
    }
    EXPECT(set.count == expected && map.count == expected);
  }
  number_set_clear(&set);
  EXPECT(!number_set_has(&set, 1) && !number_set_remove(&set, 0) && !number_map_find(&map, 1, 1));
  free(map.slots);
}
