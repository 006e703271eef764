#include "sources.h"

#include "../loops/loops.h"
#include "../machine/machine.h"
#include "../orders/report.h"
#include "../memory/memory.h"
#include "../profile/profile.h"
#include "../waits/waits.h"
#include "snapshot.h"

static void (*_Atomic refresh)(void);

void sources_set_refresh(void (*call)(void)) { atomic_store_explicit(&refresh, call, memory_order_release); }

static bool refresh_hooks(optrace_recorder *recorder, flusher_beat beat) {
  void (*call)(void) = beat ? atomic_load_explicit(&refresh, memory_order_acquire) : NULL;
  if (call && atomic_load_explicit(&recorder->hooks, memory_order_acquire) == optrace_hooks_used) call();
  return false;
}

static bool is_profiled(optrace_recorder *recorder, flusher_beat beat) { return (void)beat, profile_due(recorder, 0) != UINT64_MAX; }
static bool samples_memory(optrace_recorder *recorder, flusher_beat beat) { return (void)beat, memory_is_sampled(recorder); }
static bool has_loops(optrace_recorder *recorder, flusher_beat beat) { return (void)beat, loops_recorder() == recorder; }
static bool counts_threads(optrace_recorder *recorder, flusher_beat beat) { return (void)recorder, beat == beat_full; }

// In the order in which they write.
static const flusher_source sources[] = {
  {.drain = waits_report, .due = waits_due},
  {.drain = refresh_hooks},
  {.drain = profile_drain, .is_overlooked = is_profiled, .due = profile_due, .stop = profile_stop},
  {.drain = memory_drain, .is_overlooked = samples_memory, .due = memory_due, .stop = memory_stop},
  {.drain = loops_report, .is_overlooked = has_loops, .stop = loops_stop},
  {.drain = orders_report, .is_overlooked = orders_have_news, .stop = orders_stop},
  {.drain = machine_report, .is_overlooked = counts_threads, .discard = machine_discard},
  {.drain = snapshot_if_still, .due = snapshot_due, .discard = snapshot_discard},
};
enum { count = sizeof sources / sizeof *sources };

void sources_drain(optrace_recorder *recorder, flusher_beat beat) {
  for (int i = 0; i < count; i++) {
    uint64_t before;
    bool may = sources[i].is_overlooked && sources[i].is_overlooked(recorder, beat);
    bool is_known = may && optrace_recorder_activity(recorder, &before);
    if (sources[i].drain(recorder, beat) && is_known) snapshot_overlook(recorder, before);
  }
}

uint64_t sources_due(optrace_recorder *recorder, uint64_t now) {
  uint64_t first = UINT64_MAX;
  for (int i = 0; i < count; i++) {
    uint64_t due = sources[i].due ? sources[i].due(recorder, now) : UINT64_MAX;
    if (due < first) first = due;
  }
  return first;
}

void sources_stop(optrace_recorder *recorder) {
  for (int i = 0; i < count; i++)
    if (sources[i].stop) sources[i].stop(recorder);
}

void sources_discard(optrace_recorder *recorder) {
  for (int i = 0; i < count; i++)
    if (sources[i].discard) sources[i].discard(recorder);
}
