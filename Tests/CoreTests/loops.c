// Turns of event loops: how many there are, how long they take, which are told of, and that a loop that is blocked for good is seen.
#if defined(__linux__) && defined(__clang__)
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "hooked.h"
#include "libraries.h"
#include "reader.h"
#include "recording.h"

enum { milliseconds = 1000000 };

// ---- What the program does -----------------------------------------------------------------------------------------

// A loop of a thread, with the moments around each of its waits. What the recorder saw of a wait lies between them, however long the
// thread was interrupted there: a turn is at least what is between two waits, and at most that and both waits.
typedef struct {
  int set, event;
  uint64_t entered[256], left[256];
  size_t waits;
} loop;

static size_t turns_of(const loop *l) { return l->waits - 1; }
static uint64_t least(const loop *l, size_t turn) { return l->entered[turn + 1] - l->left[turn]; }
static uint64_t most(const loop *l, size_t turn) { return l->left[turn + 1] - l->entered[turn]; }

static void enter(loop *l) {
  if (l->waits == 256) abort();
  l->entered[l->waits] = optrace_clock_monotonic();
}

static void leave(loop *l) { l->left[l->waits++] = optrace_clock_monotonic(); }

// All but the last wait, which begins a turn.
static void forget(loop *l) {
  l->entered[0] = l->entered[l->waits - 1];
  l->left[0] = l->left[l->waits - 1];
  l->waits = 1;
}

static void loop_open(loop *l) {
  memset(l, 0, sizeof *l);
  l->set = epoll_create1(EPOLL_CLOEXEC);
  l->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN};
  if (l->set < 0 || l->event < 0 || epoll_ctl(l->set, EPOLL_CTL_ADD, l->event, &event) != 0) abort();
}

static void loop_close(loop *l) {
  close(l->set);
  close(l->event);
}

static void loop_wake(const loop *l) {
  uint64_t one = 1;
  if (write(l->event, &one, sizeof one) != sizeof one) abort();
}

enum { by_wait, by_pwait, by_pwait2 };

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
static int pwait2(int set, struct epoll_event *event, int timeout) {
  const struct timespec time = {timeout / 1000, timeout % 1000 * (long)milliseconds};
  return epoll_pwait2(set, event, 1, timeout < 0 ? NULL : &time, NULL);
}
#else
static int pwait2(int set, struct epoll_event *event, int timeout) {
  (void)set, (void)event, (void)timeout;
  errno = ENOSYS;
  return -1;
}
#endif

// Old systems and emulators do not have it. Tried before it is heard.
static bool has_pwait2;
static void try_pwait2(void) {
  struct epoll_event event;
  has_pwait2 = pwait2(-1, &event, 0) == 0 || errno != ENOSYS;
}

static int wait_by(int which, int set, int timeout) {
  struct epoll_event event;
  if (which == by_pwait) return epoll_pwait(set, &event, 1, timeout, NULL);
  return which == by_pwait2 && has_pwait2 ? pwait2(set, &event, timeout) : epoll_wait(set, &event, 1, timeout);
}

// The turn that runs ends, and the next one begins.
static int loop_wait(loop *l, int which, int timeout) {
  enter(l);
  int result = wait_by(which, l->set, timeout);
  leave(l);
  uint64_t eaten;
  if (read(l->event, &eaten, sizeof eaten) < 0 && errno != EAGAIN) abort();
  return result;
}

static void busy(uint64_t nanoseconds) {
  for (uint64_t end = optrace_clock_monotonic() + nanoseconds; optrace_clock_monotonic() < end;) {}
}

// ---- Recording -----------------------------------------------------------------------------------------------------

static optrace_recorder *begin(uint64_t ring) {
  try_pwait2();
  optrace_recorder *recorder = ring ? recording_begin_flight("run.optrace", ring) : recording_begin("run.optrace", 0, 0, true);
  const char *why = recorder ? optrace_hooks_install() : "there is no recorder";
  if (recorder && !why) why = optrace_record_dispatch(recorder);
  if (!why) return recorder;
  core_test_fail(__FILE__, __LINE__, "%s", why);
  return NULL;
}

// What a trace says of one loop.
typedef struct {
  uint64_t turns, busy, idle, longest;  // In nanoseconds.
  size_t totals, managers;
  bool is_open;                         // By the last totals.
  size_t long_turns, open_turns;
  uint64_t ages[256];                   // Of long turns that have ended, in nanoseconds.
  uint64_t open_age;                    // Of the last one that was seen to run.
} loop_facts;

static double nanoseconds_of(const trace *t, uint64_t ticks) {
  uint32_t clock;
  memcpy(&clock, t->bytes + optrace_header_clock, sizeof clock);
  return clock == optrace_file_clock_counter ? (double)ticks * 1e9 / (double)optrace_clock_frequency() : (double)ticks;
}

// Of a thread; 0: of all.
static loop_facts facts_of(const trace *t, uint32_t thread) {
  loop_facts facts = {0};
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (thread && r->subject != thread) continue;
    if (r->kind == optrace_kind_loop_turns) {
      optrace_loop_turns_fields f = optrace_loop_turns_read(r->word[0], r->word[1]);
      facts.turns += f.turns;
      facts.busy += f.busy * 1000ull;
      facts.idle += f.idle * 1000ull;
      if (f.longest * 1000ull > facts.longest) facts.longest = f.longest * 1000ull;
      facts.totals++;
      facts.managers += f.manager;
      facts.is_open = f.open;
    } else if (r->kind == optrace_kind_loop_turn) {
      optrace_loop_turn_fields f = optrace_loop_turn_read(r->word[0]);
      uint64_t age = (uint64_t)nanoseconds_of(t, f.age * optrace_format_age_unit);
      facts.managers += f.manager;
      if (f.open) facts.open_age = age, facts.open_turns++;
      else if (facts.long_turns < 256) facts.ages[facts.long_turns++] = age;
    }
  }
  return facts;
}

static uint32_t thread_with(const trace *t, uint32_t tid) {
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_thread_named && (uint32_t)(r->word[0] >> 32) == tid) return r->subject;
  }
  return 0;
}

// Within 5 %, and what rounding takes.
static void expect_between(uint64_t from, uint64_t is, uint64_t to) {
  const uint64_t rounded = 200000;
  if (is + from / 20 + rounded < from || is > to + to / 20 + rounded)
    core_test_fail(
      __FILE__, __LINE__, "%llu and not %llu to %llu ns", (unsigned long long)is, (unsigned long long)from, (unsigned long long)to);
}

// The counts and lengths of a loop whose recording is over; `unseen`: turns that ended with the thread, after the last wait.
static void expect_loop(const trace *t, uint32_t thread, const loop *l, size_t unseen) {
  loop_facts facts = facts_of(t, thread);
  // What runs after the last wait is a turn that has not ended, or one that is unseen.
  uint64_t all = optrace_clock_monotonic() - l->entered[0];
  uint64_t sum = 0, longest = 0, widest = all + l->entered[0] - l->entered[l->waits - 1], waits = 0;
  size_t surely_long = 0, maybe_long = widest >= 9 * milliseconds;
  for (size_t i = 0; i < l->waits; i++) waits += l->left[i] - l->entered[i];
  for (size_t i = 0; i < turns_of(l); i++) {
    sum += least(l, i);
    if (least(l, i) > longest) longest = least(l, i);
    if (most(l, i) > widest) widest = most(l, i);
    surely_long += least(l, i) >= 11 * milliseconds;
    maybe_long += most(l, i) >= 9 * milliseconds;
  }
  EXPECT_EQUAL(facts.turns, turns_of(l) + unseen);
  expect_between(sum, facts.busy, all - facts.idle);
  expect_between(0, facts.idle, waits);
  expect_between(longest, facts.longest, widest);
  EXPECT(facts.long_turns >= surely_long && facts.long_turns <= maybe_long);
  if (facts.long_turns != surely_long) return;
  for (size_t i = 0, which = 0; i < turns_of(l); i++)
    if (least(l, i) >= 11 * milliseconds) expect_between(least(l, i), facts.ages[which++], most(l, i));
}

// ---- Tests ---------------------------------------------------------------------------------------------------------

TEST(turns_are_counted_and_only_long_ones_told_of) {
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  loop l;
  loop_open(&l);
  for (int i = 0; i < 200; i++) {
    loop_wait(&l, i % 3, 0);
    if (i % 50 == 10) busy(20 * milliseconds);
  }
  loop_wait(&l, by_wait, 5);
  loop_wait(&l, by_wait, 0);
  trace t = hooked_end(recorder);
  expect_loop(&t, thread_with(&t, optrace_thread_id()), &l, 0);
  loop_facts facts = facts_of(&t, 0);
  EXPECT(facts.idle >= 4 * milliseconds);
  EXPECT_EQUAL(facts.managers, 0);
  trace_free(&t);
  loop_close(&l);
}

// As Foundation's do it: the set is polled, and asked only then.
TEST(a_run_loop_waits_where_it_polls_its_set) {
  SKIP_IF(is_sanitized(), "a sanitizer has a poll of its own in the program, which is no import");
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  loop l;
  loop_open(&l);
  loop_wait(&l, by_wait, 0);
  int sleeps = 0;
  for (int i = 0; i < 40; i++) {
    struct pollfd file = {.fd = l.set, .events = POLLIN};
    if (i % 8 != 7) loop_wake(&l);
    else sleeps++;
    enter(&l);
    int result = i % 2 ? poll(&file, 1, 5) : ppoll(&file, 1, &(struct timespec){.tv_nsec = 5 * milliseconds}, NULL);
    leave(&l);
    struct epoll_event event;
    EXPECT_EQUAL(result, i % 8 != 7);
    if (result > 0) EXPECT_EQUAL(epoll_wait(l.set, &event, 1, 0), 1);
    uint64_t eaten;
    if (result > 0) EXPECT_EQUAL(read(l.event, &eaten, sizeof eaten), (ssize_t)sizeof eaten);
    // A wait for another file is a part of the turn.
    file.fd = l.event;
    if (i == 5) EXPECT_EQUAL(poll(&file, 1, 20), 0);
    if (i % 10 == 3) busy(20 * milliseconds);
  }
  loop_wait(&l, by_wait, 0);
  trace t = hooked_end(recorder);
  expect_loop(&t, 0, &l, 0);
  EXPECT(facts_of(&t, 0).idle >= (uint64_t)sleeps * 5 * milliseconds * 95 / 100);
  trace_free(&t);
  loop_close(&l);
}

static loop loops[2];
static uint32_t tids[2];

static void run_loop(int which) {
  loop *l = &loops[which];
  loop_open(l);
  tids[which] = optrace_thread_id();
  for (int i = 0; i < 20 + 30 * which; i++) {
    loop_wait(l, by_wait, 0);
    if (i == 5) busy((15 + 15 * (uint64_t)which) * milliseconds);
  }
  loop_wait(l, by_wait, 0);
}

TEST(each_thread_has_a_loop_of_its_own_until_it_ends) {
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  on_threads(2, run_loop);
  trace t = hooked_end(recorder);
  for (int i = 0; i < 2; i++) {
    uint32_t thread = thread_with(&t, tids[i]);
    EXPECT(thread != 0);
    // What is between the last wait and the thread's end is a turn, too.
    expect_loop(&t, thread, &loops[i], 1);
    EXPECT(!facts_of(&t, thread).is_open);
    loop_close(&loops[i]);
  }
  trace_free(&t);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_in_turn;

static void *block_for_good(void *argument) {
  loop *l = argument;
  // Only one wait, so only one turn: a second one could be long, too, on a busy machine, and be recorded as open.
  loop_wait(l, by_wait, 0);
  atomic_store(&is_in_turn, true);
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
  return NULL;
}

static bool has_begun(void *unused) { return (void)unused, atomic_load(&is_in_turn); }

// An ended turn does not count: any turn is long where its thread is interrupted, also the one before.
static void count_open_turn(void *context, const record *one) {
  if (one->kind == optrace_kind_loop_turn) *(size_t *)context += optrace_loop_turn_read(one->word[0]).open;
}

// While it is still recorded: a flight recorder's ring may be read at any moment.
static bool is_told(void *unused) {
  (void)unused;
  static uint8_t bytes[1 << 20];
  size_t turns = 0;
  FILE *file = fopen("run.optrace", "rb");
  size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  for (size_t at = optrace_header_size; at + optrace_chunk_size <= size;) {
    uint32_t magic, length, fill;
    memcpy(&magic, bytes + at, sizeof magic);
    memcpy(&length, bytes + at + optrace_chunk_byte_count, sizeof length);
    memcpy(&fill, bytes + at + optrace_chunk_fill, sizeof fill);
    if (magic != optrace_chunk_magic || !length || at + length > size) break;
    records_walk(bytes + at, optrace_chunk_size + fill, &turns, count_open_turn);
    at += length;
  }
  return turns > 0;
}

static void turn_until_seen(int unused) {
  (void)unused;
  loop l;
  loop_open(&l);
  loop_wait(&l, by_wait, 0);
  // Asleep it would record something itself, with its name.
  while (!is_told(NULL)) {}
  loop_wait(&l, by_wait, 0);
  loop_close(&l);
}

// The recorder's thread tells of it while it runs, and its own thread when it is over. The first has to find the thread's name before.
TEST(a_turn_began_when_it_did_whoever_tells_of_it) {
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  on_threads(1, turn_until_seen);
  trace t = hooked_end(recorder);
  uint64_t began[2] = {0};
  for (size_t i = 0; i < t.count; i++) {
    const record *r = &t.records[i];
    optrace_loop_turn_fields f = optrace_loop_turn_read(r->word[0]);
    if (r->kind == optrace_kind_loop_turn) began[f.open] = r->ticks - f.age * optrace_format_age_unit;
  }
  EXPECT(began[0] && began[1]);
  // Ages are rounded down.
  uint64_t apart = began[0] > began[1] ? began[0] - began[1] : began[1] - began[0];
  EXPECT(apart < optrace_format_age_unit);
  trace_free(&t);
}

static void expect_blocked_loop(uint64_t ring) {
  optrace_recorder *recorder = begin(ring);
  REQUIRE(recorder);
  loop l;
  loop_open(&l);
  pthread_t thread;
  pthread_mutex_lock(&held);
  REQUIRE(pthread_create(&thread, NULL, block_for_good, &l) == 0);
  EXPECT(comes_true(has_begun, NULL));
  EXPECT(comes_true(is_told, NULL));
  uint64_t before = optrace_clock_monotonic() - l.left[0];
  trace t = hooked_end(recorder);
  uint64_t after = optrace_clock_monotonic() - l.entered[0];
  loop_facts facts = facts_of(&t, 0);
  EXPECT_EQUAL(facts.long_turns, 0);
  EXPECT(facts.open_turns >= 2);
  EXPECT(facts.is_open);
  EXPECT(facts.open_age >= before * 95 / 100 && facts.open_age <= after * 105 / 100);
  EXPECT(facts.longest >= facts.open_age * 95 / 100);
  EXPECT_EQUAL(facts.turns, 0);
  pthread_mutex_unlock(&held);
  pthread_join(thread, NULL);
  trace_free(&t);
  loop_close(&l);
}

TEST(a_loop_that_is_blocked_for_good_is_told_of_while_it_lasts) { expect_blocked_loop(0); }
TEST(a_ring_tells_of_a_blocked_loop) { expect_blocked_loop(256 * 1024); }

// A minute's wait would be sixty records.
TEST(a_loop_that_sleeps_writes_little) {
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  loop l;
  loop_open(&l);
  for (int i = 0; i < 10; i++) loop_wait(&l, by_wait, 0);
  loop_wait(&l, by_wait, 4500);
  loop_wait(&l, by_wait, 0);
  trace t = hooked_end(recorder);
  expect_loop(&t, 0, &l, 0);
  loop_facts facts = facts_of(&t, 0);
  EXPECT(facts.totals >= 2 && facts.totals <= 4);
  // A turn may have been interrupted for long, but none has the sleep.
  EXPECT(facts.open_age < 4000ull * milliseconds);
  trace_free(&t);
  loop_close(&l);
}

TEST(a_recording_that_begins_late_hears_of_a_loop_from_its_next_wait_on) {
  loop l;
  loop_open(&l);
  loop_wait(&l, by_wait, 0);
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  busy(20 * milliseconds);
  loop_wait(&l, by_wait, 0);
  forget(&l);
  for (int i = 0; i < 30; i++) loop_wait(&l, by_wait, 0);
  trace t = hooked_end(recorder);
  expect_loop(&t, 0, &l, 0);
  trace_free(&t);
  loop_close(&l);
}

static _Atomic bool may_end;
static _Atomic uint64_t turned;

static bool has_turned(void *since) { return atomic_load(&turned) > *(uint64_t *)since + 10; }

static void *turn_until_told(void *argument) {
  loop *l = argument;
  while (!atomic_load(&may_end)) {
    loop_wait(l, by_wait, 0);
    if (l->waits == 100) forget(l);
    atomic_fetch_add(&turned, 1);
  }
  return NULL;
}

TEST(nothing_is_recorded_after_the_stop_and_a_second_recording_counts_anew) {
  loop l;
  loop_open(&l);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, turn_until_told, &l) == 0);
  for (int i = 0; i < 3; i++) {
    optrace_recorder *recorder = begin(0);
    REQUIRE(recorder);
    uint64_t before = atomic_load(&turned), since = optrace_clock_monotonic();
    EXPECT(comes_true(has_turned, &before));
    trace t = hooked_end(recorder);
    uint64_t lasted = optrace_clock_monotonic() - since;
    loop_facts facts = facts_of(&t, 0);
    EXPECT(facts.turns >= 9);
    EXPECT_EQUAL(facts.totals, trace_count(&t, optrace_kind_loop_turns));
    // Of this recording alone.
    EXPECT(facts.busy + facts.idle <= lasted + lasted / 10 + 1000 * milliseconds);
    trace_free(&t);
  }
  atomic_store(&may_end, true);
  pthread_join(thread, NULL);
  loop_close(&l);
}

// The destructors of later keys come later.
static void leave_process(void *unused) {
  (void)unused;
  _exit(0);
}

TEST(a_forked_child_of_a_loop_records_nothing) {
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  loop l;
  loop_open(&l);
  for (int i = 0; i < 5; i++) loop_wait(&l, by_wait, 0);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; i++) loop_wait(&l, by_wait, 0);
    busy(20 * milliseconds);
    loop_wait(&l, by_wait, 0);
    // Its thread ends as any other.
    pthread_key_t last;
    if (pthread_key_create(&last, leave_process) == 0 && pthread_setspecific(last, &l) == 0) pthread_exit(NULL);
    _exit(1);
  }
  int status = 0;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  loop_wait(&l, by_wait, 0);
  trace t = hooked_end(recorder);
  expect_loop(&t, 0, &l, 0);
  trace_free(&t);
  loop_close(&l);
}

// By the name of the file that calls.
TEST(the_thread_of_libdispatch_is_told_apart) {
  void *library = library_as("libdispatch.so");
  REQUIRE(library);
  int (*visit_events)(int set) = (int (*)(int))dlsym(library, "visit_events");
  REQUIRE(visit_events);
  optrace_recorder *recorder = begin(0);
  REQUIRE(recorder);
  loop l;
  loop_open(&l);
  loop_wake(&l);
  for (int i = 0; i < 4; i++) EXPECT_EQUAL(visit_events(l.set), 1);
  busy(20 * milliseconds);
  trace t = hooked_end(recorder);
  loop_facts facts = facts_of(&t, 0);
  EXPECT_EQUAL(facts.turns, 3);
  EXPECT(facts.open_turns >= 1);
  EXPECT_EQUAL(facts.managers, facts.totals + facts.open_turns + facts.long_turns);
  trace_free(&t);
  loop_close(&l);
}
#endif
