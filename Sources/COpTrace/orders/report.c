#include "report.h"

#include <string.h>

#include "../records/emit.h"
#include "../records/thread_numbers.h"
#include "COpTrace.h"
#include "COpTraceFields.h"
#include "../base/word.h"
#include "../held/held.h"
#include "handovers.h"
#include "recording.h"
#include "seen.h"
#include "starts.h"
#include "walk.h"

// `next`: the entry that is written next. `room`: how many may be written. Only who has `is_writing` uses them.
static struct {
  _Atomic bool is_writing;
  uint32_t next, room;
  uint32_t incomplete_at, incomplete_beats;
  optrace_orders_fields losses;
} report;

void report_begins(optrace_recorder *recorder) {
  enum { bytes_each = 64, part_of_ring = 32 };
  // A ring carries them for good, so they get a small part of it.
  uint64_t room = recorder->options.ring ? recorder->options.capacity / part_of_ring / bytes_each : UINT32_MAX;
  report.next = 0;
  report.room = (uint32_t)room;
  report.losses = (optrace_orders_fields){0};
  optrace_emit3(recorder, optrace_kind_orders, 0, 0, 0);
}

static void write(optrace_recorder *recorder, const seen_sighting *entry) {
  optrace_order_fields order = {
    .object = entry->object, .kind = entry->kind, .reader = entry->how & held_reader, .try_ = entry->how & held_try,
    .timed = entry->how & held_timed, .kept = entry->how & held_kept, .number = entry->number, .outer = entry->outer, .of = entry->of,
  };
  if (!entry->is_again) optrace_emit3(recorder, optrace_kind_order, 0, optrace_order_word1(order), optrace_order_word2(order));
  uint32_t at = walk_stack_id(recorder, entry->stack);
  uint32_t thread = entry->thread ? entry->thread : thread_number_named(recorder, entry->tid, false);
  uint64_t now = recorder_now(recorder), age = (now > entry->ticks ? now - entry->ticks : 0) / optrace_format_age_unit;
  optrace_ordered_fields fields = {
    .number = entry->number, .age = age < optrace_ordered_largest_age ? age : optrace_ordered_largest_age, .at = at, .thread = thread};
  optrace_emit3(recorder, optrace_kind_ordered, entry->work, optrace_ordered_word1(fields), optrace_ordered_word2(fields));
}

// An entry that is not complete is written later, unless its thread does not come to that: then it is left out.
static bool is_given_up(uint32_t index, flusher_beat beat) {
  enum { patience = 3 };
  if (report.incomplete_at != index + 1) {
    report.incomplete_at = index + 1;
    report.incomplete_beats = 0;
  }
  report.incomplete_beats += beat == beat_full;
  return report.incomplete_beats >= patience;
}

static void write_losses(optrace_recorder *recorder) {
  held_shared *all = atomic_load_explicit(&held_all, memory_order_acquire);
  optrace_orders_fields now = {
    .lost = atomic_load(&seen_lost.lost), .deep = all ? atomic_load(&all->deep) : 0, .alike = atomic_load(&seen_lost.alike),
    .moved = atomic_load(&seen_lost.moved),
  };
  if (memcmp(&now, &report.losses, sizeof now) == 0) return;
  report.losses = now;
  optrace_emit3(recorder, optrace_kind_orders, 0, optrace_orders_word1(now), optrace_orders_word2(now));
}

// Also called when the recorder stops, maybe while the flusher is here.
static bool begin_writing(void) { return !atomic_exchange_explicit(&report.is_writing, true, memory_order_acquire); }
static void end_writing(void) { atomic_store_explicit(&report.is_writing, false, memory_order_release); }

// For at most a second: the process may end in a handler that has interrupted the flusher.
static bool wait_to_write(void) {
  enum { most_rounds = 1000, a_millisecond = 1000000 };
  _Atomic uint32_t nobody = 0;
  for (int round = 0; round < most_rounds; round++) {
    if (begin_writing()) return true;
    word_wait(&nobody, 0, a_millisecond);
  }
  return false;
}

static bool write_news(optrace_recorder *recorder, flusher_beat beat) {
  uint32_t before = report.next;
  for (const seen_sighting *entry; (entry = seen_sighting_at(report.next)); report.next++) {
    if (!atomic_load_explicit(&entry->is_complete, memory_order_acquire)) {
      if (!is_given_up(report.next, beat)) break;
      atomic_fetch_add_explicit(&seen_lost.lost, 1, memory_order_relaxed);
    } else if (report.next < report.room) {
      write(recorder, entry);
    } else {
      atomic_fetch_add_explicit(&seen_lost.lost, 1, memory_order_relaxed);
    }
  }
  return report.next != before;
}

bool orders_have_news(optrace_recorder *recorder, flusher_beat beat) {
  return orders_recorder() == recorder && (beat || seen_sighting_at(report.next));
}

bool orders_report(optrace_recorder *recorder, flusher_beat beat) {
  if (orders_recorder() != recorder || !begin_writing()) return false;
  bool has_written = write_news(recorder, beat);
  has_written |= starts_write(recorder);
  if (beat) has_written |= handovers_write(recorder, false);
  end_writing();
  return has_written;
}

void orders_stop(optrace_recorder *recorder) {
  if (orders_recorder() != recorder) return;
  held_set_recording(0);
  if (!wait_to_write()) return;
  write_news(recorder, beat_none);
  starts_write(recorder);
  handovers_write(recorder, true);
  write_losses(recorder);
  end_writing();
}
