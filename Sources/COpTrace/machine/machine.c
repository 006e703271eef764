#include "machine.h"

#if defined(__linux__)

#include <stdlib.h>

#include "../base/filter.h"
#include "../records/emit.h"
#include "../stacks/threads.h"
#include "COpTraceFields.h"
#include "control_group.h"
#include "counted.h"

// No more than this are counted in a second.
enum { threads_per_second = 64 };
// Nothing is recorded where less than this share of the time was waited: one twentieth.
enum { least_share = 20 };
static const uint64_t a_second = 1000000000;

// What is known from the last count. Only the flusher uses it.
struct machine {
  uint64_t at;            // When that was, on the monotonic clock.
  uint64_t throttled;
  control_group group;
  uint32_t compared;      // Where in the last count the next thread should be.
  uint64_t used, waited;  // What was added since the last count, in nanoseconds.
  counted_threads last, now;
};

void machine_discard(optrace_recorder *recorder) {
  free(recorder->machine);
  recorder->machine = NULL;
}

// A thread that is not in the last count is new, so all that it has is added.
static bool count_thread(void *context, uint32_t id, const thread_run *run) {
  struct machine *own = context;
  if (own->now.count == counted_most) return false;
  counted_thread before = counted_before(&own->last, &own->compared, id);
  own->now.all[own->now.count++] = (counted_thread){.id = id, .time = run->time, .delay = run->delay};
  own->used += run->time > before.time ? run->time - before.time : 0;
  own->waited += run->delay > before.delay ? run->delay - before.delay : 0;
  return true;
}

// False: nobody could be counted, and the last count stays.
static bool count_threads(struct machine *own) {
  own->used = own->waited = 0;
  own->now.count = own->compared = 0;
  if (threads_runs(count_thread, own) != threads_visited) return false;
  own->last = own->now;
  return true;
}

static struct machine *begin(uint64_t now) {
  struct machine *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  control_group_find(&own->group);
  own->at = now;
  own->throttled = control_group_throttled(&own->group);
  count_threads(own);
  return own;
}

static uint64_t at_most(uint64_t value, uint64_t most) { return value < most ? value : most; }

static void write_record(optrace_recorder *recorder, const struct machine *own, uint64_t over, uint64_t throttled) {
  optrace_machine_fields fields = {
    .over = (uint32_t)at_most(over / 1000, 0xFFFFFF), .waited = at_most(own->waited / 1000, 0xFFFFFFFFFF),
    .used = (uint32_t)at_most(own->used / 1000, UINT32_MAX), .throttled = (uint16_t)at_most(throttled / 1000000, UINT16_MAX),
    .processors = (uint16_t)at_most(processors_allowed(&own->group), UINT16_MAX)};
  optrace_emit3(recorder, optrace_kind_machine, 0, optrace_machine_word1(fields), optrace_machine_word2(fields));
}

static bool report(optrace_recorder *recorder) {
  uint64_t now = optrace_clock_monotonic();
  struct machine *own = recorder->machine;
  if (!own) {
    recorder->machine = begin(now);
    return false;
  }
  uint64_t over = now - own->at;
  // Without a first count nobody knows what was added.
  bool is_first = !own->last.count;
  if (over < own->last.count * a_second / threads_per_second || !count_threads(own)) return false;
  uint64_t throttled = control_group_throttled(&own->group), stopped = throttled > own->throttled ? throttled - own->throttled : 0;
  own->at = now;
  own->throttled = throttled;
  if (is_first || (own->waited < over / least_share && !stopped)) return false;
  write_record(recorder, own, over, stopped);
  return true;
}

bool machine_report(optrace_recorder *recorder, flusher_beat beat) {
  if (beat != beat_full || !system_call_begins()) return false;
  bool has_written = report(recorder);
  system_call_ends();
  return has_written;
}

#else

void machine_discard(optrace_recorder *recorder) { (void)recorder; }
bool machine_report(optrace_recorder *recorder, flusher_beat beat) { return (void)recorder, (void)beat, false; }

#endif
