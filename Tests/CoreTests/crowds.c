// A flight recorder with more threads, and more dispatch queues, than it has room for.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../Sources/COpTrace/dispatch/queues.h"
#include "../../Sources/COpTrace/records/emit.h"
#include "COpTraceFields.h"
#include "COpTraceTraits.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

enum { smallest = 256 * 1024, most_threads = 300, record_bytes = 16 };

static void emit_number(uint32_t thread, uint32_t number) { optrace_emit2(recording_current, optrace_kind_enqueued, thread + 1, number); }

static trace stopped(void) {
  EXPECT_EQUAL(optrace_recorder_stop(recording_current), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  return t;
}

// Each thread has written the numbers from 0 on. All of them after `complete since` are there: those that are newer than the first one
// there follow each other without a hole, up to the last one that the thread has written and that was not lost.
static void expect_complete(const trace *t, uint32_t threads, const uint32_t *written, size_t *newest) {
  uint64_t since = trace_header(t, optrace_header_complete_since);
  static uint32_t next[most_threads];
  static bool is_seen[most_threads];
  memset(next, 0, sizeof next);
  memset(is_seen, 0, sizeof is_seen);
  *newest = 0;
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind != optrace_kind_enqueued || r->ticks <= since) continue;
    uint32_t thread = r->subject - 1;
    REQUIRE(thread < threads);
    if (is_seen[thread] && r->word[0] != next[thread])
      core_test_fail(__FILE__, __LINE__, "thread %u: %llu and not %u", thread, (unsigned long long)r->word[0], next[thread]);
    is_seen[thread] = true;
    next[thread] = (uint32_t)r->word[0] + 1;
    ++*newest;
  }
  for (uint32_t i = 0; i < threads; i++)
    if (is_seen[i]) EXPECT_EQUAL(next[i], written[i]);
}

// ---- Threads -------------------------------------------------------------------------------------------------------

static uint32_t written[most_threads];
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_opens = PTHREAD_COND_INITIALIZER;
static bool gate_is_open;
static _Atomic int arrived;

static void open_gate(void) {
  pthread_mutex_lock(&gate_lock);
  gate_is_open = true;
  pthread_cond_broadcast(&gate_opens);
  pthread_mutex_unlock(&gate_lock);
}

static void write_one(uint32_t thread) { emit_number(thread, written[thread]++); }

static void *record_once_and_stay(void *argument) {
  write_one((uint32_t)(uintptr_t)argument);
  atomic_fetch_add(&arrived, 1);
  pthread_mutex_lock(&gate_lock);
  while (!gate_is_open) pthread_cond_wait(&gate_opens, &gate_lock);
  pthread_mutex_unlock(&gate_lock);
  return NULL;
}

static bool all_arrived(void *count) { return atomic_load(&arrived) == *(int *)count; }

static void begin_crowd(pthread_t *threads, int count) {
  arrived = 0;
  for (int i = 1; i <= count; i++)
    if (pthread_create(&threads[i - 1], NULL, record_once_and_stay, (void *)(uintptr_t)i) != 0) return;
  EXPECT(comes_true(all_arrived, &count));
}

static void end_crowd(pthread_t *threads, int count) {
  open_gate();
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static bool has_turned(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; i++) write_one(0);
  const _Atomic uint64_t *overwritten = header_word(recording_current, optrace_header_overwritten_bytes);
  return atomic_load(overwritten) > 2 * smallest;
}

// Each holds a chunk at first, which the flusher takes back.
TEST(a_crowd_that_sleeps_leaves_a_ring_to_those_who_work) {
  enum { sleepers = 40 };
  pthread_t threads[sleepers];
  memset(written, 0, sizeof written);
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  begin_crowd(threads, sleepers);
  EXPECT(comes_true(has_turned, NULL));
  size_t newest;
  trace t = stopped();
  end_crowd(threads, sleepers);
  expect_complete(&t, sleepers + 1, written, &newest);
  EXPECT(newest * record_bytes > smallest / 4 && newest * record_bytes < smallest);
  trace_free(&t);
}

// There are 63 chunks. What does not fit is counted, and nobody waits until it does.
TEST(more_threads_than_chunks_are_counted_and_wait_for_nobody) {
  pthread_t threads[most_threads - 1];
  memset(written, 0, sizeof written);
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  begin_crowd(threads, most_threads - 1);
  uint64_t lost = optrace_recorder_lost(recording_current, optrace_loss_no_space);
  size_t newest;
  EXPECT(comes_true(has_turned, NULL));
  trace t = stopped();
  end_crowd(threads, most_threads - 1);
  EXPECT(trace_lost(&t) >= lost);
  expect_complete(&t, most_threads, written, &newest);
  trace_free(&t);
}

static void *record_and_end(void *argument) {
  for (int i = 0; i < 3; i++) write_one((uint32_t)(uintptr_t)argument);
  return NULL;
}

// A thread that has ended owns nothing: the newest records are kept, whoever wrote them.
TEST(threads_that_have_ended_give_their_chunks_back) {
  memset(written, 0, sizeof written);
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  for (int round = 0; round < 40; round++)
    for (int i = 1; i < 100; i++) {
      pthread_t thread;
      REQUIRE(pthread_create(&thread, NULL, record_and_end, (void *)(uintptr_t)i) == 0);
      pthread_join(thread, NULL);
    }
  size_t newest;
  trace t = stopped();
  EXPECT_EQUAL(trace_lost(&t), 0);
  expect_complete(&t, 100, written, &newest);
  // Each thread's records come with its name.
  EXPECT(newest > 1000);
  trace_free(&t);
}

enum { enough_for_an_own_chunk = 40 };
static void emit_at(uint64_t ticks, int count) {
  for (uint64_t i = 0; i < (uint64_t)count; i++) emit_at_time(recording_current, optrace_kind_enqueued, 1, &i, 1, ticks);
}

static bool runs_to_its_end(void *(*body)(void *), void *argument) {
  pthread_t thread;
  return pthread_create(&thread, NULL, body, argument) == 0 && pthread_join(thread, NULL) == 0;
}

static void *record_late(void *ticks) {
  emit_at(*(uint64_t *)ticks + 1000000, enough_for_an_own_chunk);
  return NULL;
}

static void *record_early(void *ticks) {
  emit_at(*(uint64_t *)ticks, 1);
  EXPECT(runs_to_its_end(record_late, ticks));
  emit_at(*(uint64_t *)ticks, enough_for_an_own_chunk);
  return NULL;
}

// A thread reads the clock, and gets its chunk later: one that another thread has written to meanwhile, and left. If its own older record
// counted as the chunk's newest, the chunk would be reused as one of the oldest, and what the other thread wrote would be missing from the
// time that is complete.
TEST(a_chunk_that_threads_write_to_one_after_another_is_as_old_as_its_newest_record) {
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  uint64_t early = recorder_now(recording_current), newest = 0;
  REQUIRE(runs_to_its_end(record_early, &early));
  pthread_mutex_lock(&recording_current->lock);
  for (uint32_t i = 0; i < recording_current->rests_count; i++)
    if (recording_current->rests[i].last_ticks > newest) newest = recording_current->rests[i].last_ticks;
  pthread_mutex_unlock(&recording_current->lock);
  EXPECT(newest >= early + 1000000);
  trace t = stopped();
  trace_free(&t);
}

enum { busy_threads = 8, each_writes = 60000 };
static void write_many(int which) {
  for (int i = 0; i < each_writes; i++) write_one((uint32_t)which);
}

TEST(a_ring_is_complete_for_all_threads_since_the_time_that_it_says) {
  SKIP_IF(is_emulated(), "the emulator's counter gives many records one time, and their order is not known");
  memset(written, 0, sizeof written);
  REQUIRE(recording_begin_flight("run.optrace", 4 * smallest));
  on_threads(busy_threads, write_many);
  size_t newest;
  trace t = stopped();
  EXPECT(trace_header(&t, optrace_header_complete_since) > 0);
  expect_complete(&t, busy_threads, written, &newest);
  trace_free(&t);
}

// ---- What is not over ----------------------------------------------------------------------------------------------

// Its record is in the middle of a chunk that is still being written when older records go. Nothing more is overwritten meanwhile.
static bool is_carried(void *unused) {
  (void)unused;
  write_one(1);
  pthread_mutex_lock(&recording_current->recycling);
  bool is_there = recording_current->carried_bytes > 0;
  pthread_mutex_unlock(&recording_current->recycling);
  return is_there;
}

static void *fill_ring(void *unused) {
  (void)unused;
  EXPECT(comes_true(has_turned, NULL));
  return NULL;
}

TEST(what_is_open_is_carried_before_its_chunk_is_full) {
  pthread_t filler;
  memset(written, 0, sizeof written);
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  // Not in the chunk that threads share for their first records.
  for (int i = 0; i < 20; i++) write_one(1);
  optrace_emit2(recording_current, optrace_kind_operation_created, 77, 0);
  REQUIRE(pthread_create(&filler, NULL, fill_ring, NULL) == 0);
  pthread_join(filler, NULL);
  EXPECT(comes_true(is_carried, NULL));
  trace t = stopped();
  size_t created = 0, copies = 0;
  for (size_t i = 0; i < t.count; i++) {
    created += t.records[i].kind == optrace_kind_operation_created;
    copies += t.records[i].kind == optrace_kind_operation_created && t.records[i].chunk_kind == optrace_chunk_kind_carried;
  }
  EXPECT_EQUAL(copies, 1);
  EXPECT(created <= 2);
  trace_free(&t);
}

enum { pending = 900, fillers = 8 };

static void fill_with_marks(int which) {
  char text[64];
  for (int i = 0; i < 40000; i++) {
    size_t length = (size_t)snprintf(text, sizeof text, "writer %d mark %d", which, i);
    optrace_emit_text(recording_current, optrace_kind_mark, 0, 0, false, 0, (const uint8_t *)text, length);
  }
}

static void leave_open(int which) {
  char text[64];
  for (uint32_t i = 0; i < pending / 2; i++) {
    uint32_t number = (uint32_t)which * pending + i + 1;
    size_t length = (size_t)snprintf(text, sizeof text, "pending %u", number);
    optrace_emit2(recording_current, optrace_kind_operation_created, number, 0);
    optrace_emit_text(recording_current, optrace_kind_operation_named, number, 0, false, 0, (const uint8_t *)text, length);
    optrace_emit2(recording_current, optrace_kind_enqueued, number, 1);
    optrace_emit1(recording_current, optrace_kind_ready, number);
  }
}

// How much work of those has all of its four records.
static size_t described_in_full(const trace *t) {
  static const uint8_t kinds[] = {optrace_kind_operation_created, optrace_kind_operation_named, optrace_kind_enqueued, optrace_kind_ready};
  static uint32_t times[sizeof kinds][3 * pending];
  memset(times, 0, sizeof times);
  for (size_t i = 0; i < t->count; i++)
    for (size_t k = 0; k < sizeof kinds; k++)
      if (t->records[i].kind == kinds[k]) times[k][t->records[i].subject]++;
  size_t count = 0;
  for (size_t i = 0; i < 3 * pending; i++) count += times[0][i] && times[1][i] && times[2][i] && times[3][i];
  return count;
}

TEST(open_work_is_carried_while_many_threads_fill_a_small_ring) {
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  on_threads(2, leave_open);
  on_threads(fillers, fill_with_marks);
  trace t = stopped();
  EXPECT_EQUAL(trace_header(&t, optrace_header_loss_counts + 8 * optrace_loss_carry), 0);
  EXPECT_EQUAL(described_in_full(&t), pending);
  trace_free(&t);
}

// One thread creates what another one adds, and stays; the first thread's chunk is still being written when the other's is overwritten.
static _Atomic uint32_t created, added;

static void create_or_add(int which) {
  for (uint32_t number = 1; number <= pending; number++) {
    _Atomic uint32_t *waits_for = which ? &created : &added;
    while (atomic_load(waits_for) < number - (which ? 0 : 1)) sched_yield();
    if (which) {
      optrace_emit2(recording_current, optrace_kind_enqueued, number, 1);
      optrace_emit1(recording_current, optrace_kind_ready, number);
      for (int i = 0; i < 100; i++) optrace_emit3(recording_current, optrace_kind_signalled, 1, 1, 1);
      atomic_store(&added, number);
    } else {
      optrace_emit2(recording_current, optrace_kind_operation_created, number, 0);
      optrace_emit_text(recording_current, optrace_kind_operation_named, number, 0, false, 0, (const uint8_t *)"one", 3);
      atomic_store(&created, number);
    }
  }
}

TEST(records_are_carried_whose_beginning_is_in_a_chunk_that_is_still_written) {
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  atomic_store(&created, 0);
  atomic_store(&added, 0);
  on_threads(2, create_or_add);
  trace t = stopped();
  EXPECT_EQUAL(trace_header(&t, optrace_header_loss_counts + 8 * optrace_loss_carry), 0);
  EXPECT_EQUAL(described_in_full(&t), pending);
  trace_free(&t);
}

// ---- Numbers -------------------------------------------------------------------------------------------------------

TEST(numbers_of_a_ring_begin_again_after_the_last) {
  REQUIRE(recording_begin_flight("run.optrace", smallest));
  atomic_store(&recording_current->next_serial, UINT32_MAX - 1);
  atomic_store(&recording_current->next_thread, 1 << 24);
  EXPECT_EQUAL(recorder_next_thread(recording_current), 1);
  EXPECT_EQUAL(optrace_recorder_next_serial(recording_current), UINT32_MAX - 1);
  EXPECT_EQUAL(optrace_recorder_next_serial(recording_current), 1);
  EXPECT_EQUAL(optrace_recorder_next_serial(recording_current), 2);
  trace t = stopped();
  EXPECT_EQUAL(trace_lost(&t), 0);
  trace_free(&t);
}

// ---- Dispatch queues -----------------------------------------------------------------------------------------------

static void submit(uint32_t block, uint32_t queue) {
  optrace_block_submitted_fields fields = {.queue = queue};
  optrace_emit3(recording_current, optrace_kind_block_submitted, block, optrace_block_submitted_word1(fields), optrace_block_submitted_word2(fields));
  optrace_emit1(recording_current, optrace_kind_run_ended, block);
}

// Each block that is there names a queue that is there: the one that was described last before it, with this number.
static void expect_described(const trace *t) {
  uint64_t since = trace_header(t, optrace_header_complete_since);
  static bool is_described[1 << 20];
  memset(is_described, 0, sizeof is_described);
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == optrace_kind_dispatch_queue) is_described[t->records[i].subject] = true;
  size_t missing = 0;
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_block_submitted && r->ticks > since)
      missing += !is_described[optrace_block_submitted_read(r->word[0], r->word[1]).queue];
  }
  EXPECT_EQUAL(missing, 0);
}

TEST(a_ring_describes_the_queues_that_it_tells_of_and_forgets_the_others) {
  enum { rounds = 60000, addresses = 500 };
  static char queues[addresses][64];
  memset(queues, 0, sizeof queues);
  REQUIRE(recording_begin_flight("run.optrace", 2 * smallest));
  dispatch_queues_begin(recording_current);
  uint32_t first = dispatch_queue_number(recording_current, queues[0]);
  EXPECT(first > 0);
  for (uint32_t i = 1; i <= rounds; i++) {
    void *queue = queues[1 + i % (addresses - 1)];
    dispatch_queue_is_new(queue);
    uint32_t number = dispatch_queue_number(recording_current, queue);
    EXPECT(number > 0);
    EXPECT_EQUAL(dispatch_queue_number(recording_current, queue), number);
    submit(i, number);
  }
  // It is still known, though nothing refers to it.
  submit(rounds + 1, dispatch_queue_number(recording_current, queues[0]));
  trace t = stopped();
  EXPECT_EQUAL(trace_header(&t, optrace_header_loss_counts + 8 * optrace_loss_table_full), 0);
  expect_described(&t);
  // They do not fill the ring.
  EXPECT(trace_count(&t, optrace_kind_dispatch_queue) < 2 * trace_count(&t, optrace_kind_block_submitted) + addresses);
  trace_free(&t);
}
