// Where threads pause so that they meet: at the places of a plan until all are there, or by chance. What a program waits for is bounded.
#if defined(__linux__) && defined(__clang__)
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/COpTrace/held/held.h"
#include "../../Sources/COpTrace/pauses/chance.h"
#include "../../Sources/COpTrace/pauses/pauses.h"
#include "../../Sources/COpTrace/pauses/plan.h"
#include "../../Sources/COpTrace/stacks/modules.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "hooked.h"
#include "reader.h"
#include "recording.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;

// ---- What is read ----------------------------------------------------------------------------------------------------

static bool is_read(const char *text) {
  static plan p;
  return plan_read(&p, text);
}

TEST(a_plan_is_read_as_it_is_written) {
  static plan p;
  REQUIRE(plan_read(&p, "wait=300 modules=0a1b/=tool place=2:0:2:1:3:0+4420/1+1c place=2:1:2:3:1:1+ff crowd=3:0:4:0:5:0+10"));
  EXPECT(!p.is_by_chance && p.wait == 300 && p.modules == 2 && p.places == 3);
  EXPECT(p.module[0].id_bytes == 2 && p.module[0].id[0] == 0x0a && p.module[0].id[1] == 0x1b);
  EXPECT(!p.module[1].id_bytes && strcmp(p.module[1].name, "tool") == 0);
  EXPECT(p.place[0].finding == 2 && p.place[0].index == 0 && p.place[0].count == 2 && p.place[0].held == 1 && p.place[0].wanted == 3);
  EXPECT(p.place[0].frames == 2 && p.place[0].frame[0].offset == 0x4420 && p.place[0].frame[1].module == 1);
  EXPECT(p.place[2].is_crowd && p.place[2].count == 4 && !p.place[2].held && p.place[2].wanted == 5);
  REQUIRE(plan_read(&p, "chance=18446744073709551615"));
  EXPECT(p.is_by_chance && p.seed == UINT64_MAX);
}

TEST(what_is_no_plan_is_refused) {
  const char *texts[] = {
    "", "chance=", "chance=x", "chance=1 ", "chance=18446744073709551616", "wait=300", "wait=x modules=00 place=1:0:1:1:1:0+1",
    "wait=99999 modules=00 place=1:0:1:1:1:0+1", "wait=1 modules= place=1:0:1:1:1:0+1", "wait=1 modules=0 place=1:0:1:1:1:0+1",
    "wait=1 modules=00", "wait=1 modules=00 place=1:0:2:1:1:0+1", "wait=1 modules=00 place=1:1:2:1:1:0+1 place=1:0:2:1:1:0+1",
    "wait=1 modules=00 place=1:0:1:1:1:1+1", "wait=1 modules=00 place=1:0:1:1:1:0", "wait=1 modules=00 place=1:0:1:1:1:0+1 x",
    "wait=1 modules=00 place=1:2:1:1:1:0+1", "wait=1 modules=00 place=1:0:1:1:1:", "wait=1 modules=00 place=1:0:17:1:1:0+1",
    "wait=1 modules=00 place=1:0:2:1:1:0+1 place=2:1:2:1:1:0+1",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (is_read(texts[i])) core_test_fail(__FILE__, __LINE__, "read: %s", texts[i]);
  EXPECT(optrace_pause("nonsense") && !pauses_are_wanted());
}

TEST(a_plan_that_is_cut_anywhere_is_read_or_refused) {
  const char *whole = "wait=300 modules=0a1b/=tool place=2:0:2:1:3:0+4420/1+1c place=2:1:2:3:1:1+ff crowd=3:0:4:0:5:0+10";
  for (size_t length = 0; length <= strlen(whole); length++) {
    char *cut = strndup(whole, length);
    is_read(cut);
    free(cut);
  }
}

// ---- Recording with pauses -------------------------------------------------------------------------------------------

static optrace_recorder *begin(const char *pauses) {
  const char *why = pauses ? optrace_pause(pauses) : NULL;
  if (!why) return hooked_begin(recording_begin("run.optrace", 0, 0, true), optrace_record_orders);
  core_test_fail(__FILE__, __LINE__, "%s", why);
  return NULL;
}

static int marks(const trace *t, const char *beginning) {
  int count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    count += r->kind == optrace_kind_mark && r->length >= strlen(beginning) && memcmp(r->text, beginning, strlen(beginning)) == 0;
  }
  return count;
}

// Both halves of a deadlock. The inner lock is given up after a while, so that a deadlock ends.
static __attribute__((noinline)) int take_one_way(pthread_mutex_t *outer, pthread_mutex_t *inner) {
  struct timespec until;
  pthread_mutex_lock(outer);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  int result = pthread_mutex_timedlock(inner, &until);
  if (result == 0) pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
  return result;
}

static __attribute__((noinline)) int take_other_way(pthread_mutex_t *outer, pthread_mutex_t *inner) {
  struct timespec until;
  pthread_mutex_lock(outer);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  int result = pthread_mutex_timedlock(inner, &until);
  if (result == 0) pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
  return result;
}

static bool is_inner(const trace *t, uint32_t number) {
  for (size_t i = 0; i < t->count; i++) {
    if (t->records[i].kind != optrace_kind_order) continue;
    optrace_order_fields one = optrace_order_read(t->records[i].word[0], t->records[i].word[1]);
    if (one.number == number) return one.outer;
  }
  return false;
}

// What a recording without pauses has of both sides is the plan of the next one.
static void plan_of(const trace *t, uint32_t wait, char *out, size_t size) {
  const module *own = module_at(module_of((uint64_t)(uintptr_t)&take_one_way));
  REQUIRE(own);
  size_t length = (size_t)snprintf(out, size, "wait=%u modules=", wait);
  for (int i = 0; i < own->id_bytes; i++) length += (size_t)snprintf(out + length, size - length, "%02x", own->id[i]);
  const char *slash = strrchr(own->path, '/');
  if (!own->id_bytes) length += (size_t)snprintf(out + length, size - length, "=%s", slash ? slash + 1 : own->path);
  int side = 0;
  for (size_t i = 0; i < t->count; i++) {
    optrace_ordered_fields one = optrace_ordered_read(t->records[i].word[0], t->records[i].word[1]);
    if (t->records[i].kind != optrace_kind_ordered || !is_inner(t, one.number)) continue;
    for (size_t j = 0; j < t->count; j++)
      if (t->records[j].kind == optrace_kind_frame && t->records[j].subject == one.at)
        length += (size_t)snprintf(out + length, size - length, " place=1:%d:2:1:1:0+%llx", side++,
                                   (unsigned long long)optrace_frame_read(t->records[j].word[0], t->records[j].word[1]).offset);
  }
  EXPECT_EQUAL(side, 2);
}

static char planned[4096];

static bool learn(uint32_t wait) {
  optrace_recorder *recorder = begin(NULL);
  if (!recorder) return false;
  take_one_way(&a, &b);
  take_other_way(&b, &a);
  trace t = hooked_end(recorder);
  EXPECT(!pauses_are_wanted());
  EXPECT_EQUAL(marks(&t, ""), 0);
  plan_of(&t, wait, planned, sizeof planned);
  trace_free(&t);
  return true;
}

static int results[2];
static void deadlock(int which) { results[which] = which ? take_other_way(&b, &a) : take_one_way(&a, &b); }
// The second one is at the same places with another lock.
static void near_deadlock(int which) { results[which] = which ? take_other_way(&b, &c) : take_one_way(&a, &b); }

TEST(both_sides_of_a_deadlock_meet) {
  REQUIRE(learn(10000));
  optrace_recorder *recorder = begin(planned);
  REQUIRE(recorder);
  on_threads(2, deadlock);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(marks(&t, "optrace: held at side 1 of finding 1"), 1);
  EXPECT_EQUAL(marks(&t, "optrace: held at side 2 of finding 1"), 1);
  EXPECT_EQUAL(marks(&t, "optrace: all sides of finding 1 have met"), 1);
  // The first one to give up gives back what the other one wants.
  EXPECT_EQUAL(results[0], ETIMEDOUT);
  trace_free(&t);
}

TEST(those_who_want_something_else_do_not_meet) {
  REQUIRE(learn(50));
  optrace_recorder *recorder = begin(planned);
  REQUIRE(recorder);
  on_threads(2, near_deadlock);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(marks(&t, "optrace: held "), 2);
  EXPECT_EQUAL(marks(&t, "optrace: all sides"), 0);
  EXPECT(results[0] == 0 && results[1] == 0);
  trace_free(&t);
}

TEST(who_comes_alone_goes_on_and_a_place_that_all_come_by_is_paused_at_seldom) {
  REQUIRE(learn(1));
  optrace_recorder *recorder = begin(planned);
  REQUIRE(recorder);
  errno = ERANGE;
  for (int i = 0; i < 1000; i++) EXPECT_EQUAL(take_one_way(&a, &b), 0);
  EXPECT_EQUAL(errno, ERANGE);
  trace t = hooked_end(recorder);
  int held = marks(&t, "optrace: held at side 1 of finding 1");
  // The first four, and then each time that is a power of two.
  EXPECT_EQUAL(held, 4 + 7);
  trace_free(&t);
}

TEST(a_forked_child_pauses_nowhere) {
  REQUIRE(learn(1));
  optrace_recorder *recorder = begin(planned);
  REQUIRE(recorder);
  pid_t child = fork();
  if (child == 0) {
    bool works = take_one_way(&a, &b) == 0;
    _exit(works && !pauses_are_wanted() ? 3 : 4);
  }
  int status = 0;
  EXPECT_EQUAL(waitpid(child, &status, 0), child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(marks(&t, ""), 0);
  trace_free(&t);
}

// ---- By chance -------------------------------------------------------------------------------------------------------

// How often somebody is paused at so many places, each visited so often.
static int pauses_of(uint64_t seed, uint64_t *sum) {
  enum { places = 1000, visits = 20 };
  chance *one = calloc(1, sizeof *one);
  int count = 0;
  *sum = 0;
  for (uint64_t place = 1; place <= places; place++)
    for (int i = 0; i < visits; i++) {
      uint32_t milliseconds = chance_pause(one, seed, place * 77);
      count += milliseconds != 0;
      *sum = *sum * 31 + milliseconds;
    }
  free(one);
  return count;
}

TEST(the_same_seed_chooses_the_same_places) {
  for (uint64_t seed = 0; seed < 50; seed++) {
    uint64_t first, again, other;
    pauses_of(seed, &first);
    pauses_of(seed, &again);
    pauses_of(seed + 1, &other);
    EXPECT(first == again && first != other);
  }
}

TEST(eight_seeds_in_turn_pause_ever_more_seldom) {
  uint64_t sum;
  for (uint64_t seed = 8; seed < 80; seed += 8) {
    int often = pauses_of(seed, &sum), seldom = pauses_of(seed + 7, &sum);
    EXPECT(often > 1000 && often < 6000);
    EXPECT(seldom < 200);
  }
}

TEST(by_chance_threads_pause_at_most_so_often) {
  optrace_recorder *recorder = begin("chance=8");
  REQUIRE(recorder);
  for (uint32_t number = 1; number < 5000; number++) pauses_before_work(number, pauses_resumed);
  EXPECT_EQUAL(take_one_way(&a, &b), 0);
  trace t = hooked_end(recorder);
  EXPECT_EQUAL(marks(&t, "optrace: held for "), 32);
  trace_free(&t);
}
#endif
