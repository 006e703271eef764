// Files that grow, that may not, and that somebody cuts.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "reader.h"
#include "recording.h"

// The records that were written are in the file in their order, the rest is counted, and told of where it would have been.
static void check_all_accounted_for(const trace *t, uint64_t emitted) {
  uint64_t found = 0, before = 0, told = 0;
  for (size_t i = 0; i < t->count; i++) {
    const record *r = &t->records[i];
    if (r->kind == optrace_kind_lost) told += r->word[0];
    if (r->kind != optrace_kind_enqueued) continue;
    EXPECT(r->word[0] > before);
    before = r->word[0];
    found++;
  }
  EXPECT(told <= trace_lost(t));
  EXPECT_EQUAL(found + trace_lost(t), emitted);
}

static void emit_many(optrace_recorder *recorder, uint64_t count) {
  for (uint64_t i = 1; i <= count; i++) optrace_emit2(recorder, optrace_kind_enqueued, 1, i);
}

TEST(a_file_grows_over_several_windows) {
  enum { records = 1000000 };
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  emit_many(recorder, records);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT(t.size > (15 << 20));
  EXPECT_EQUAL(trace_lost(&t), 0);
  check_all_accounted_for(&t, records);
  trace_free(&t);
}

TEST(what_the_size_limit_does_not_let_in_is_counted) {
  enum { records = 100000, limit = 256 * 1024 };
  optrace_recorder *recorder = recording_begin("run.optrace", 0, limit, true);
  REQUIRE(recorder);
  emit_many(recorder, records);
  uint64_t lost = optrace_recorder_lost(recorder, optrace_loss_size_limit);
  EXPECT(lost > 0);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  EXPECT_EQUAL(optrace_recorder_lost(recorder, optrace_loss_size_limit), lost);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT(t.size <= limit && t.size > limit / 2);
  EXPECT_EQUAL(trace_header(&t, optrace_header_loss_counts + 8 * optrace_loss_size_limit), lost);
  check_all_accounted_for(&t, records);
  trace_free(&t);
}

// As `ulimit -f` does it: without care the program would be ended by SIGXFSZ, or by SIGBUS as on a full disk.
TEST(a_file_that_may_not_grow_ends_nobody) {
  enum { records = 100000, most = 300 * 1024 };
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most}) == 0);
  emit_many(recorder, records);
  EXPECT(optrace_recorder_lost(recorder, optrace_loss_no_space) > 0);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  sigset_t pending;
  sigpending(&pending);
  EXPECT(!sigismember(&pending, SIGXFSZ));
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT(t.size <= most);
  check_all_accounted_for(&t, records);
  trace_free(&t);
}

TEST(a_file_that_somebody_cuts_ends_the_recording_alone) {
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  emit_many(recorder, 5000);
  REQUIRE(truncate("run.optrace", 0) == 0);
  emit_many(recorder, 100000);
  EXPECT(!optrace_recorder_is_recording(recorder));
  EXPECT(optrace_recorder_stop(recorder) != 0);
}

static volatile sig_atomic_t others;
static void on_others(int number) {
  (void)number;
  others++;
  _exit(others == 1 ? 0 : 1);
}

// A bus error that is none of the recorder's goes to whom it belonged.
TEST(another_files_bus_error_is_the_programs) {
  struct sigaction action = {.sa_handler = on_others};
  sigaction(SIGBUS, &action, NULL);
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  emit_many(recorder, 100);
  raise(SIGBUS);
  EXPECT(!"the handler did not run");
}

TEST(no_recorder_of_what_is_no_file) {
  errno = 0;
  optrace_recorder *recorder = recording_begin("/dev/null", 0, 0, true);
  EXPECT(!recorder && errno != 0);
}
