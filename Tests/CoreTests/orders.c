// The orders in which locks are taken: each once, with what was held, where and by whom; and what is no order. The calls are as without.
#if defined(__linux__) && defined(__clang__)
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/COpTrace/operations/frames.h"
#include "../../Sources/COpTrace/held/held.h"
#include "../../Sources/COpTrace/held/work.h"
#include "../../Sources/COpTrace/orders/handovers.h"
#include "../../Sources/COpTrace/orders/orders.h"
#include "../../Sources/COpTrace/orders/seen.h"
#include "../../Sources/COpTrace/records/buffers.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "hooked.h"
#include "reader.h"
#include "recording.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static optrace_recorder *begin_in(optrace_recorder *recorder) { return hooked_begin(recorder, optrace_record_orders); }
static optrace_recorder *begin(void) { return begin_in(recording_begin("run.optrace", 0, 0, true)); }

static uint64_t address(const void *lock) { return (uint64_t)(uintptr_t)lock; }

static optrace_order_fields order_of(const record *r) { return optrace_order_read(r->word[0], r->word[1]); }

// The order with this number; number 0: there is none.
static optrace_order_fields order_numbered(const trace *t, uint32_t number) {
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == optrace_kind_order && order_of(&t->records[i]).number == number) return order_of(&t->records[i]);
  return (optrace_order_fields){0};
}

// How often one is recorded in which `wanted` is taken right behind `held`, and the last of these. `held` null: behind nothing.
static int orders_between(const trace *t, const void *held, const void *wanted, optrace_order_fields *last) {
  int count = 0;
  for (size_t i = 0; i < t->count; i++) {
    if (t->records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = order_of(&t->records[i]);
    if (one.object != address(wanted) || order_numbered(t, one.outer).object != address(held)) continue;
    count++;
    if (last) *last = one;
  }
  return count;
}

static int sightings_of(const trace *t, uint32_t number, record *last) {
  int count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind != optrace_kind_ordered || optrace_ordered_read(r->word[0], r->word[1]).number != number) continue;
    count++;
    if (last) *last = *r;
  }
  return count;
}

static optrace_orders_fields losses(const trace *t) {
  optrace_orders_fields last = {0};
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == optrace_kind_orders) last = optrace_orders_read(t->records[i].word[0], t->records[i].word[1]);
  return last;
}

static uint32_t frame_at(const trace *t, uint32_t number) {
  record r = {0};
  return sightings_of(t, number, &r) ? optrace_ordered_read(r.word[0], r.word[1]).at : 0;
}

// The frame of the trace with this number.
static bool find_frame(const trace *t, uint32_t number, optrace_frame_fields *out) {
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind != optrace_kind_frame || r->subject != number) continue;
    *out = optrace_frame_read(r->word[0], r->word[1]);
    return true;
  }
  return false;
}

static int frames_outside(const trace *t, uint32_t number) {
  optrace_frame_fields f;
  int count = 0;
  for (; number && find_frame(t, number, &f) && count < 1000; number = f.caller) count++;
  return count;
}

// Each round at the same place.
#define REPEAT(variable, count) for (volatile int variable = 0; variable < (count); variable++)

// ---- What is an order ------------------------------------------------------------------------------------------------

static __attribute__((noinline)) void take_both(pthread_mutex_t *first, pthread_mutex_t *second) {
  EXPECT_EQUAL(pthread_mutex_lock(first), 0);
  EXPECT_EQUAL(pthread_mutex_lock(second), 0);
  EXPECT_EQUAL(pthread_mutex_unlock(second), 0);
  EXPECT_EQUAL(pthread_mutex_unlock(first), 0);
}

TEST(an_order_is_recorded_once_with_both_stacks) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  optrace_emit1(recorder, optrace_kind_execution_began, 1);
  for (int i = 0; i < 1000; i++) take_both(&a, &b);
  trace t = hooked_end(recorder);
  optrace_order_fields inner, outer;
  REQUIRE(orders_between(&t, &a, &b, &inner) == 1);
  EXPECT_EQUAL(inner.kind, optrace_held_mutex);
  EXPECT(!inner.reader && !inner.try_ && !inner.timed && !inner.kept);
  outer = order_numbered(&t, inner.outer);
  EXPECT_EQUAL(outer.outer, 0);
  EXPECT(outer.of != inner.of && outer.of && inner.of);
  EXPECT_EQUAL(orders_between(&t, &b, &a, NULL), 0);
  record seen;
  REQUIRE(sightings_of(&t, inner.number, &seen) == 1);
  EXPECT_EQUAL(seen.subject, 0);
  EXPECT_EQUAL(optrace_ordered_read(seen.word[0], seen.word[1]).thread, 1);
  // Both stacks are there, differ in the innermost frame alone, and are of the same depth.
  optrace_frame_fields at, from;
  REQUIRE(find_frame(&t, frame_at(&t, inner.number), &at) && find_frame(&t, frame_at(&t, outer.number), &from));
  EXPECT(at.offset != from.offset && at.caller == from.caller);
  EXPECT(at.offset - from.offset < 200);
  EXPECT(frames_outside(&t, frame_at(&t, inner.number)) > 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_order), 2);
  trace_free(&t);
}

TEST(both_orders_of_two_locks_are_recorded) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  take_both(&a, &b);
  take_both(&b, &a);
  take_both(&b, &c);
  trace t = hooked_end(recorder);
  optrace_order_fields one, other;
  EXPECT_EQUAL(orders_between(&t, &a, &b, &one), 1);
  EXPECT_EQUAL(orders_between(&t, &b, &a, &other), 1);
  EXPECT_EQUAL(orders_between(&t, &b, &c, NULL), 1);
  // The same lock has the same number on both sides.
  EXPECT_EQUAL(one.of, order_numbered(&t, other.outer).of);
  EXPECT_EQUAL(other.of, order_numbered(&t, one.outer).of);
  trace_free(&t);
}

TEST(what_else_is_held_makes_another_order) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  REPEAT(i, 10) {
    take_both(&a, &b);
    pthread_mutex_lock(&c);
    take_both(&a, &b);
    pthread_mutex_unlock(&c);
  }
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 2);
  EXPECT_EQUAL(orders_between(&t, &c, &a, NULL), 1);
  trace_free(&t);
}

static __attribute__((noinline)) void take_in_work(int which) {
  frame_push_work((work){recording_current, 100 + (uint32_t)which});
  REPEAT(i, 2) take_both(&a, &b);
  optrace_frame_pop();
}

TEST(up_to_four_strands_are_told_of) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  REPEAT(i, 10) take_in_work(i);
  trace t = hooked_end(recorder);
  optrace_order_fields inner;
  REQUIRE(orders_between(&t, &a, &b, &inner) == 1);
  uint32_t work_seen[10] = {0};
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    if (r->kind == optrace_kind_ordered && optrace_ordered_read(r->word[0], r->word[1]).number == inner.number && r->subject >= 100)
      work_seen[r->subject - 100]++;
  }
  for (int i = 0; i < 10; i++) EXPECT_EQUAL(work_seen[i], i < 4 ? 1 : 0);
  trace_free(&t);
}

static pthread_mutex_t first_of_thread[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void take_on_thread(int which) { take_both(&first_of_thread[which % 2], &first_of_thread[1 - which % 2]); }

TEST(threads_without_records_are_heard_too) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, (void *(*)(void *))(void *)take_on_thread, (void *)(intptr_t)i) == 0);
    pthread_join(thread, NULL);
  }
  trace t = hooked_end(recorder);
  optrace_order_fields one, other;
  REQUIRE(orders_between(&t, &first_of_thread[0], &first_of_thread[1], &one) == 1);
  REQUIRE(orders_between(&t, &first_of_thread[1], &first_of_thread[0], &other) == 1);
  record r, s;
  REQUIRE(sightings_of(&t, one.number, &r) == 1 && sightings_of(&t, other.number, &s) == 1);
  uint32_t threads[2] = {optrace_ordered_read(r.word[0], r.word[1]).thread, optrace_ordered_read(s.word[0], s.word[1]).thread};
  EXPECT(threads[0] && threads[1] && threads[0] != threads[1]);
  trace_free(&t);
}

static void *take_and_return(void *unused) {
  take_both(&a, &b);
  return unused;
}

static void *do_nothing(void *unused) { return unused; }

TEST(who_starts_a_thread_and_waits_for_its_end_is_told_of_those_in_orders) {
  SKIP_IF(is_sanitized(), "a sanitizer has pthread_create of its own, which no library imports");
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  optrace_emit1(recorder, optrace_kind_execution_began, 1);
  pthread_t threads[2];
  frame_push_work((work){recorder, 40});
  REQUIRE(pthread_create(&threads[0], NULL, take_and_return, NULL) == 0);
  REQUIRE(pthread_create(&threads[1], NULL, do_nothing, NULL) == 0);
  optrace_frame_pop();
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  trace t = hooked_end(recorder);
  optrace_order_fields inner;
  record seen;
  REQUIRE(orders_between(&t, &a, &b, &inner) == 1 && sightings_of(&t, inner.number, &seen) == 1);
  uint32_t thread = optrace_ordered_read(seen.word[0], seen.word[1]).thread, begun = 0, joined = 0;
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_thread_begun) continue;
    optrace_thread_begun_fields one = optrace_thread_begun_read(t.records[i].word[0], t.records[i].word[1]);
    EXPECT_EQUAL(t.records[i].subject, thread);
    EXPECT_EQUAL(one.from, 1);
    EXPECT_EQUAL(one.by, one.joined ? 0 : 40);
    begun += !one.joined;
    joined += one.joined;
  }
  EXPECT_EQUAL(begun, 1);
  EXPECT_EQUAL(joined, 1);
  trace_free(&t);
}

// ---- Kinds -----------------------------------------------------------------------------------------------------------

TEST(a_lock_that_is_made_again_at_the_same_place_is_another_one) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_t again;
  REPEAT(i, 4) {
    // The third one was not destroyed.
    EXPECT_EQUAL(pthread_mutex_init(&again, NULL), 0);
    REPEAT(j, 2) take_both(&a, &again);
    if (i != 2) EXPECT_EQUAL(pthread_mutex_destroy(&again), 0);
  }
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &again, NULL), 4);
  EXPECT_EQUAL(orders_between(&t, NULL, &a, NULL), 1);
  trace_free(&t);
}

TEST(a_recursive_lock_is_held_once) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutexattr_t attributes;
  pthread_mutex_t recursive;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&c);  // It is still held.
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&recursive);
  take_both(&b, &c);       // And now it is not.
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &recursive, &a, NULL), 1);
  EXPECT_EQUAL(orders_between(&t, &a, &recursive, NULL), 0);
  EXPECT_EQUAL(orders_between(&t, &recursive, &recursive, NULL), 0);
  EXPECT_EQUAL(orders_between(&t, &recursive, &c, NULL), 1);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  optrace_order_fields last;
  REQUIRE(orders_between(&t, &b, &c, &last) == 1);
  EXPECT_EQUAL(order_numbered(&t, last.outer).outer, 0);
  trace_free(&t);
}

TEST(a_lock_that_is_given_back_early_leaves_what_was_taken_later) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&b);
  trace t = hooked_end(recorder);
  optrace_order_fields last;
  REQUIRE(orders_between(&t, &b, &c, &last) == 1);
  EXPECT_EQUAL(order_numbered(&t, last.outer).outer, 0);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  EXPECT_EQUAL(orders_between(&t, &a, &c, NULL), 0);
  trace_free(&t);
}

TEST(what_stays_held_when_something_between_is_given_back_is_no_order) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_rwlock_wrlock(&rw);
  pthread_mutex_unlock(&b);
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_rwlock_unlock(&rw);
  pthread_mutex_unlock(&a);
  trace t = hooked_end(recorder);
  optrace_order_fields last;
  REQUIRE(orders_between(&t, &rw, &c, &last) == 1);
  optrace_order_fields kept = order_numbered(&t, last.outer);
  EXPECT(kept.kept);
  EXPECT_EQUAL(order_numbered(&t, kept.outer).object, address(&a));
  trace_free(&t);
}

TEST(both_sides_of_a_reader_writer_lock_are_told_apart) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  struct timespec late = {.tv_sec = time(NULL) + 1000};
  pthread_mutex_lock(&a);
  EXPECT_EQUAL(pthread_rwlock_rdlock(&rw), 0);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  EXPECT_EQUAL(pthread_rwlock_unlock(&rw), 0);
  EXPECT_EQUAL(pthread_rwlock_wrlock(&rw), 0);
  EXPECT_EQUAL(pthread_rwlock_unlock(&rw), 0);
  EXPECT_EQUAL(pthread_rwlock_tryrdlock(&rw), 0);
  EXPECT_EQUAL(pthread_rwlock_unlock(&rw), 0);
  EXPECT_EQUAL(pthread_rwlock_timedwrlock(&rw, &late), 0);
  EXPECT_EQUAL(pthread_rwlock_unlock(&rw), 0);
  pthread_mutex_unlock(&a);
  trace t = hooked_end(recorder);
  int reads = 0, writes = 0, tried_reads = 0, timed_writes = 0, all = 0;
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = order_of(&t.records[i]);
    if (one.object != address(&rw)) continue;
    EXPECT_EQUAL(one.kind, optrace_held_rwlock);
    all++;
    reads += one.reader && !one.try_ && !one.timed;
    writes += !one.reader && !one.try_ && !one.timed;
    tried_reads += one.reader && one.try_ && !one.timed;
    timed_writes += !one.reader && !one.try_ && one.timed;
  }
  EXPECT(reads == 1 && writes == 1 && tried_reads == 1 && timed_writes == 1 && all == 4);
  optrace_order_fields behind;
  REQUIRE(orders_between(&t, &rw, &b, &behind) == 1);
  EXPECT(order_numbered(&t, behind.outer).reader);
  trace_free(&t);
}

TEST(locks_that_are_tried_or_timed_say_so) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  struct timespec late = {.tv_sec = time(NULL) + 1000};
  pthread_mutex_lock(&a);
  EXPECT_EQUAL(pthread_mutex_trylock(&b), 0);
  EXPECT_EQUAL(pthread_mutex_trylock(&b), EBUSY);
  EXPECT_EQUAL(pthread_mutex_timedlock(&c, &late), 0);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  trace t = hooked_end(recorder);
  optrace_order_fields tried, timed;
  REQUIRE(orders_between(&t, &a, &b, &tried) == 1 && orders_between(&t, &b, &c, &timed) == 1);
  EXPECT(tried.try_ && !tried.timed && timed.timed && !timed.try_);
  trace_free(&t);
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool is_set;
static void *set_it(void *unused) {
  pthread_mutex_lock(&a);
  is_set = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&a);
  return unused;
}

TEST(a_wait_for_a_condition_gives_its_lock_back_and_takes_it_again) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_t other;
  REQUIRE(pthread_create(&other, NULL, set_it, NULL) == 0);
  while (!is_set) EXPECT_EQUAL(pthread_cond_wait(&condition, &a), 0);
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_join(other, NULL);
  take_both(&b, &c);
  trace t = hooked_end(recorder);
  optrace_order_fields waits, again, behind;
  // While it waits it has b alone, and then it takes a.
  REQUIRE(orders_between(&t, &b, &condition, &waits) == 1);
  EXPECT_EQUAL(waits.kind, optrace_held_condition);
  EXPECT_EQUAL(orders_between(&t, &b, &a, &again), 1);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  EXPECT_EQUAL(orders_between(&t, &a, &c, &behind), 1);
  EXPECT_EQUAL(orders_between(&t, &b, &c, NULL), 1);
  trace_free(&t);
}

// ---- Queues, slots, waits ----------------------------------------------------------------------------------------------

static __attribute__((noinline)) void lock_a(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}

// Of a kind with numbers.
static bool is_number(const trace *t, uint32_t order, uint8_t kind, uint32_t number) {
  optrace_order_fields one = order_numbered(t, order);
  return order && one.kind == kind && one.of == number && !one.object;
}

TEST(work_holds_its_queue_or_its_slot) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  held_work_is_given(7, 3, optrace_held_slot, 0);
  held_work_is_given(8, 4, optrace_held_queue, 0);
  held_work_is_given(9, 5, optrace_held_queue, held_reader);
  for (volatile uint32_t number = 7; number < 10; number++) {
    frame_push_work((work){recorder, number});
    held_work_begins(number);
    lock_a();
    if (number == 8) pthread_mutex_lock(&b);  // It stays.
    held_work_ends(number);
    optrace_frame_pop();
  }
  held_work_begins(10);  // Nobody knows its queue.
  EXPECT_EQUAL(held_of_thread->count, 1);
  held_work_ends(10);
  pthread_mutex_unlock(&b);
  EXPECT_EQUAL(held_of_thread->count, 0);
  trace t = hooked_end(recorder);
  int found[3] = {0};
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = order_of(&t.records[i]);
    if (one.object != address(&a)) continue;
    found[0] += is_number(&t, one.outer, optrace_held_slot, 3) && order_numbered(&t, one.outer).outer == 0;
    found[1] += is_number(&t, one.outer, optrace_held_queue, 4);
    // The lock is held besides.
    found[2] += is_number(&t, one.outer, optrace_held_queue, 5) && order_numbered(&t, one.outer).reader &&
                order_numbered(&t, order_numbered(&t, one.outer).outer).object == address(&b);
    record seen;
    EXPECT_EQUAL(sightings_of(&t, one.number, &seen), 1);
    EXPECT(seen.subject >= 7 && seen.subject <= 9);
  }
  for (int i = 0; i < 3; i++) EXPECT_EQUAL(found[i], 1);
  trace_free(&t);
}

TEST(waits_for_operations_and_queues_are_orders) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_lock(&a);
  optrace_wait_begin(recorder, 11, false);
  optrace_wait_end(recorder, 11, false);
  optrace_wait_begin(recorder, 12, true);
  optrace_wait_end(recorder, 12, true);
  pthread_mutex_unlock(&a);
  optrace_wait_begin(recorder, 13, false);
  optrace_wait_end(recorder, 13, false);
  trace t = hooked_end(recorder);
  int found[2] = {0};
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = order_of(&t.records[i]);
    if (one.object == address(&a)) continue;
    EXPECT(order_numbered(&t, one.outer).object == address(&a));
    found[0] += one.kind == optrace_held_operation && one.of == 11;
    found[1] += one.kind == optrace_held_whole_queue && one.of == 12;
  }
  EXPECT_EQUAL(found[0], 1);
  EXPECT_EQUAL(found[1], 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_order), 3);
  trace_free(&t);
}

static const uint64_t semaphore = 0x7000;

static __attribute__((noinline)) void signal_here(uint32_t number) {
  frame_push_work((work){recording_current, number});
  handover_signals(semaphore, place_here());
  optrace_frame_pop();
}
static __attribute__((noinline)) void wait_here(uint32_t number, void (*meanwhile)(void)) {
  frame_push_work((work){recording_current, number});
  uint64_t before = handover_waits(semaphore);
  if (meanwhile) meanwhile();
  handover_waited(semaphore, optrace_held_semaphore, false, before, place_here());
  optrace_frame_pop();
}
static void signal_meanwhile(void) { signal_here(22); }

// The last record of one between these two works, and how often one was written.
static int handovers_of(const trace *t, uint32_t waiter, uint32_t signaller, optrace_handover_fields *last) {
  int count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind != optrace_kind_handover || r->subject != waiter) continue;
    optrace_handover_fields one = optrace_handover_read(r->word[0], r->word[1]);
    if (one.by != signaller) continue;
    if (last) *last = one;
    count++;
  }
  return count;
}

TEST(who_waits_and_who_signals_is_told_by_place) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  lock_a();
  wait_here(20, NULL);  // It had a value: nobody has signalled.
  REPEAT(i, 100) {
    signal_here(22);
    wait_here(21, NULL);
  }
  handover_forget(semaphore);
  wait_here(23, signal_meanwhile);
  trace t = hooked_end(recorder);
  optrace_handover_fields first, other;
  EXPECT_EQUAL(handovers_of(&t, 20, 0, NULL), 0);
  REQUIRE(handovers_of(&t, 21, 22, &first) >= 1 && handovers_of(&t, 23, 22, &other) == 1);
  EXPECT_EQUAL(first.count, 100);
  EXPECT_EQUAL(first.kind, optrace_held_semaphore);
  EXPECT(!first.waited && other.waited && !first.lock && !other.lock);
  EXPECT(first.at && first.signalled_at && first.at != first.signalled_at && other.at != first.at);
  trace_free(&t);
}

TEST(a_semaphore_that_is_used_as_a_lock_says_so) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  lock_a();
  REPEAT(i, 3) {
    wait_here(30 + (uint32_t)i, NULL);
    signal_here(30 + (uint32_t)i);
  }
  trace t = hooked_end(recorder);
  optrace_handover_fields one;
  REQUIRE(handovers_of(&t, 31, 30, &one) >= 1);
  EXPECT(one.lock && one.count == 2);
  trace_free(&t);
}

// ---- Limits ----------------------------------------------------------------------------------------------------------

TEST(a_lock_of_nobody_else_and_of_nothing_else_is_no_order) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
  }
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_order), 0);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_ordered), 0);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_orders), 1);
  trace_free(&t);
}

TEST(who_holds_too_much_is_counted) {
  enum { many = held_most + 5 };
  static pthread_mutex_t locks[many];
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  for (int i = 0; i < many; i++) pthread_mutex_init(&locks[i], NULL);
  for (int i = 0; i < many; i++) EXPECT_EQUAL(pthread_mutex_lock(&locks[i]), 0);
  for (int i = many - 1; i >= 0; i--) EXPECT_EQUAL(pthread_mutex_unlock(&locks[i]), 0);
  take_both(&a, &b);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(losses(&t).deep, many - held_most);
  // It is empty again.
  optrace_order_fields last;
  REQUIRE(orders_between(&t, &a, &b, &last) == 1);
  EXPECT_EQUAL(order_numbered(&t, last.outer).outer, 0);
  trace_free(&t);
}

TEST(a_lock_that_another_thread_gives_back_is_not_held) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  take_both(&a, &c);
  pthread_mutex_lock(&a);
  pthread_t other;
  REQUIRE(pthread_create(&other, NULL, (void *(*)(void *))(void *)pthread_mutex_unlock, &a) == 0);
  pthread_join(other, NULL);
  take_both(&b, &c);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 0);
  optrace_order_fields last;
  REQUIRE(orders_between(&t, &b, &c, &last) == 1);
  EXPECT_EQUAL(order_numbered(&t, last.outer).outer, 0);
  EXPECT(losses(&t).moved > 0);
  trace_free(&t);
}

TEST(of_many_locks_at_the_same_places_some_are_recorded_and_the_rest_counted) {
  enum { many = 1000 };
  static pthread_mutex_t locks[many];
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  for (int i = 0; i < many; i++) pthread_mutex_init(&locks[i], NULL);
  for (int i = 0; i < many; i++) take_both(&a, &locks[i]);
  trace t = hooked_end(recorder);
  size_t recorded = trace_count(&t, optrace_kind_order) - 1;
  EXPECT(recorded >= 16 && recorded <= 64);
  EXPECT_EQUAL(losses(&t).alike, many - recorded);
  EXPECT_EQUAL(losses(&t).lost, 0);
  trace_free(&t);
}

// Each place is another one, so that none is like the others.
static uint64_t look_from(uint64_t object, uint64_t pc) {
  held_stack *held = held_here();
  if (!held) return 1;
  return (uint64_t)orders_look(held, object, held_kind_and_how(optrace_held_mutex, 0), pc, 0, 0) >> 63;
}

TEST(a_full_table_is_counted) {
  enum { many = 70000 };
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_lock(&a);
  for (uint64_t i = 0; i < many; i++) EXPECT_EQUAL(look_from(0x10000 + i % 8 * 64, 0x1000 + 16 * i), 1);
  pthread_mutex_unlock(&a);
  trace t = hooked_end(recorder);
  size_t recorded = trace_count(&t, optrace_kind_order);
  EXPECT(recorded <= seen_most_ways && recorded > seen_most_ways / 2);
  EXPECT_EQUAL(losses(&t).lost, many + 1 - recorded);
  trace_free(&t);
}

// ---- Delicate --------------------------------------------------------------------------------------------------------

TEST(a_forked_child_is_not_heard_and_its_locks_work) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutex_lock(&a);
  pid_t child = fork();
  if (child == 0) {
    bool works = pthread_mutex_lock(&b) == 0 && pthread_mutex_unlock(&b) == 0 && pthread_mutex_unlock(&a) == 0;
    take_both(&b, &c);
    _exit(works && !orders_are_wanted() ? 3 : 4);
  }
  REQUIRE(child > 0);
  int status = 0;
  EXPECT_EQUAL(waitpid(child, &status, 0), child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&a);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 0);
  EXPECT_EQUAL(orders_between(&t, &a, &c, NULL), 1);
  EXPECT_EQUAL(orders_between(&t, &b, &c, NULL), 0);
  trace_free(&t);
}

static void lock_in_handler(int number) {
  (void)number;
  take_both(&b, &c);
}

TEST(a_signal_handler_leaves_the_stack_as_it_was) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  struct sigaction action = {.sa_handler = lock_in_handler};
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_mutex_lock(&a);
  // As if the signal came while the stack changes: nothing of it is heard.
  held_enter(held_of_thread);
  raise(SIGUSR1);
  held_leave(held_of_thread);
  EXPECT_EQUAL(held_of_thread->count, 1);
  raise(SIGUSR1);
  EXPECT_EQUAL(held_of_thread->count, 1);
  pthread_mutex_unlock(&a);
  EXPECT_EQUAL(held_of_thread->count, 0);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  EXPECT_EQUAL(orders_between(&t, &b, &c, NULL), 1);
  trace_free(&t);
}

TEST(errors_and_errno_are_as_without) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  pthread_mutexattr_t attributes;
  pthread_mutex_t checked;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &attributes);
  pthread_mutex_lock(&a);
  errno = EDOM;
  EXPECT_EQUAL(pthread_mutex_lock(&checked), 0);
  EXPECT_EQUAL(pthread_mutex_lock(&checked), EDEADLK);
  EXPECT_EQUAL(pthread_mutex_unlock(&checked), 0);
  EXPECT_EQUAL(pthread_mutex_unlock(&checked), EPERM);
  EXPECT_EQUAL(errno, EDOM);
  pthread_mutex_unlock(&a);
  EXPECT_EQUAL(held_of_thread->count, 0);
  pthread_mutex_destroy(&checked);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &checked, NULL), 1);
  trace_free(&t);
}

TEST(a_second_recording_begins_with_nothing_held) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  take_both(&a, &b);
  pthread_mutex_lock(&a);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  trace_free(&t);
  pthread_mutex_unlock(&a);  // Nobody hears it.
  recorder = begin();
  REQUIRE(recorder);
  take_both(&b, &c);
  take_both(&a, &b);
  t = hooked_end(recorder);
  optrace_order_fields last;
  REQUIRE(orders_between(&t, &b, &c, &last) == 1);
  EXPECT_EQUAL(order_numbered(&t, last.outer).outer, 0);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  trace_free(&t);
}

TEST(a_ring_keeps_orders) {
  optrace_recorder *recorder = begin_in(recording_begin_flight("run.optrace", 256 * 1024));
  REQUIRE(recorder);
  take_both(&a, &b);
  // Until they are written, and the ring has gone around some times.
  static optrace_recorder *ring;
  ring = recorder;
  for (int round = 0; round < 200; round++) {
    for (int i = 0; i < 2000; i++) optrace_emit1(ring, optrace_kind_queue_suspended, 1);
    if (round % 50 == 0) sched_yield();
  }
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(orders_between(&t, &a, &b, NULL), 1);
  trace_free(&t);
}

static void take_many(int which) {
  static pthread_mutex_t locks[16];
  for (int i = 0; i < 3000; i++) {
    int first = (which * 7 + i) % 15, second = first + 1 + i % (15 - first);
    take_both(&locks[first], &locks[second]);
  }
}

TEST(threads_that_take_the_same_orders_at_once_record_each_once) {
  optrace_recorder *recorder = begin();
  REQUIRE(recorder);
  on_threads(8, take_many);
  trace t = hooked_end(recorder);
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = order_of(&t.records[i]);
    EXPECT(one.number && (!one.outer || order_numbered(&t, one.outer).number));
    EXPECT(sightings_of(&t, one.number, NULL) >= 1);
    for (size_t j = 0; j < i; j++) {
      if (t.records[j].kind != optrace_kind_order) continue;
      optrace_order_fields other = order_of(&t.records[j]);
      EXPECT(memcmp(&one, &other, sizeof one) != 0 && one.number != other.number);
    }
  }
  // The inner lock always has the higher address, so no two orders contradict each other.
  for (size_t i = 0; i < t.count; i++) {
    if (t.records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = order_of(&t.records[i]);
    if (one.outer) EXPECT(order_numbered(&t, one.outer).object < one.object);
  }
  trace_free(&t);
}
#endif
