// Each thread only counts, in its own note, and the flusher writes the records about once a second. So loops that are blocked forever or
// asleep are recorded, too, and the program's threads do little work. Only a long turn is recorded by its own thread.
#include "loops.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/own_lock.h"
#include "../records/buffers.h"
#include "../records/emit.h"
#include "../records/thread_numbers.h"
#include "../stacks/bounds.h"
#include "COpTraceFields.h"

// In milliseconds: how often totals are written (less than a second, because the flusher's heartbeat is a second), and after how long
// unchanged facts are written again, so that they are not lost in a ring.
enum { a_period = 900, again_after = 60000 };

_Thread_local loop_note *loop_of_thread;

optrace_recorder *_Atomic loops_recorded_in;
// Guards the list of notes, which contains all live threads that have called `epoll_wait`.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static loop_note *notes;

void loops_record(optrace_recorder *recorder) {
  if (!loops_recorder()) atomic_store_explicit(&loops_recorded_in, recorder, memory_order_release);
}

static uint64_t load(const _Atomic uint64_t *from) { return atomic_load_explicit(from, memory_order_relaxed); }

static optrace_recorder *load_recorder(const loop_note *note) { return atomic_load_explicit(&note->recorder, memory_order_relaxed); }

static uint64_t ticks(const optrace_recorder *recorder, uint64_t milliseconds) { return milliseconds * recorder->millisecond; }

static uint64_t since(uint64_t from, uint64_t now) { return now > from ? now - from : 0; }

// Writes a `loop-turn`. `now`: when the turn ended, or was seen running.
static void write_turn(optrace_recorder *recorder, const loop_note *note, uint32_t thread, uint64_t began, uint64_t now, bool is_open) {
  uint64_t age = since(began, now) / optrace_format_age_unit;
  optrace_loop_turn_fields fields = {.age = age < optrace_loop_turn_largest_age ? age : optrace_loop_turn_largest_age,
                                     .open = is_open, .manager = note->is_manager};
  const uint64_t word = optrace_loop_turn_word1(fields);
  emit_at_time(recorder, optrace_kind_loop_turn, thread, &word, 1, now);
}

void loop_turn_was_long(optrace_recorder *recorder, const loop_note *note, uint64_t began, uint64_t now) {
  const thread_buffer *buffer = buffer_find(recorder);
  if (buffer) write_turn(recorder, note, buffer->thread, began, now, false);
}

// ---- Records -------------------------------------------------------------------------------------------------------

// The contents of a note at one moment.
typedef struct {
  uint32_t turns;
  uint64_t began, busy;
} reading;

// False: the thread kept changing the note meanwhile.
static bool read_note(const loop_note *note, reading *out) {
  for (int i = 0; i < 100; i++) {
    uint32_t version = atomic_load_explicit(&note->version, memory_order_acquire);
    uint32_t turns = atomic_load_explicit(&note->turns, memory_order_relaxed);
    *out = (reading){.turns = turns, .began = load(&note->began), .busy = load(&note->busy)};
    atomic_thread_fence(memory_order_acquire);
    if (version % 2 == 0 && atomic_load_explicit(&note->version, memory_order_relaxed) == version) return true;
  }
  return false;
}

static uint32_t microseconds(const optrace_recorder *recorder, uint64_t ticks) {
  double value = (double)ticks * 1000 / (double)recorder->millisecond;
  return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void write_totals(optrace_recorder *recorder, loop_note *note, uint32_t thread, const reading *r, uint64_t now, uint64_t busy) {
  // A turn that ends at this moment may be missed here. If it was long, it has a record of its own.
  uint64_t open = r->began ? since(r->began, now) : 0, longest = atomic_exchange(&note->longest, 0);
  if (open > longest) longest = open;
  uint32_t all = microseconds(recorder, since(note->told.at, now)), used = microseconds(recorder, since(note->told.busy, busy));
  uint32_t turns = r->turns - note->told.turns;
  optrace_loop_turns_fields fields = {
    .turns = turns < optrace_loop_turns_largest_turns ? turns : optrace_loop_turns_largest_turns, .manager = note->is_manager,
    .open = r->began != 0, .longest = longest ? microseconds(recorder, longest - 1) + 1 : 0, .busy = used,
    .idle = all > used ? all - used : 0,
  };
  const uint64_t words[] = {optrace_loop_turns_word1(fields), optrace_loop_turns_word2(fields)};
  emit_at_time(recorder, optrace_kind_loop_turns, thread, words, 2, now);
}

// In a ring the thread's name is written again from time to time, because a thread that records nothing itself would lose its name with
// the chunk.
static uint32_t thread_of(optrace_recorder *recorder, loop_note *note, uint64_t now) {
  bool again = recorder->options.ring && since(note->told.named, now) >= ticks(recorder, again_after);
  if (again) note->told.named = now;
  return thread_number_named(recorder, note->tid, again);
}

// The state of a loop at one moment, and which records are due.
typedef struct {
  reading read;
  uint64_t now, busy;
  bool is_due, totals, turn;
} loop_news;

// `is_last`: everything is due. False: the thread kept changing its note meanwhile.
static bool find_news(optrace_recorder *recorder, const loop_note *note, bool is_last, loop_news *out) {
  // Read the clock before the note, so that the end of a running turn cannot be recorded with an earlier time.
  uint64_t now = recorder_now(recorder);
  reading r;
  if (!read_note(note, &r)) return false;
  uint64_t open = r.began ? since(r.began, now) : 0;
  // The thread has been in the same turn, or in the same wait, since the last record.
  bool is_same = r.turns == note->told.turns && r.began == note->told.began;
  bool is_due = is_last || since(note->told.at, now) >= ticks(recorder, a_period);
  bool is_told = note->told.turn == r.began && since(note->told.turn_written, now) < ticks(recorder, again_after);
  *out = (loop_news){
    .read = r, .now = now, .busy = r.busy + open, .is_due = is_due,
    .totals = is_due && (is_last || !is_same || !note->told.written || since(note->told.written, now) >= ticks(recorder, again_after)),
    .turn = open >= ticks(recorder, loop_long_turn) && (is_last || !is_told),
  };
  return true;
}

// Writes the records that are due. The caller holds the lock. True if anything was written.
static bool tell(optrace_recorder *recorder, loop_note *note, bool is_last) {
  loop_news news;
  if (!find_news(recorder, note, is_last, &news)) return false;
  uint32_t thread = 0;
  if (news.totals || news.turn) {
    thread = thread_of(recorder, note, news.now);
    // Read the note again: if the thread's name was written, that took long, and a record must not be earlier than the one before it.
    if (!find_news(recorder, note, is_last, &news)) return thread != 0;
  }
  if (thread && news.turn) {
    write_turn(recorder, note, thread, news.read.began, news.now, true);
    note->told.turn = news.read.began;
    note->told.turn_written = news.now;
  }
  if (thread && news.totals) {
    write_totals(recorder, note, thread, &news.read, news.now, news.busy);
    note->told.written = news.now;
  }
  if (news.is_due) {
    note->told.at = news.now;
    note->told.busy = news.busy;
    note->told.began = news.read.began;
    note->told.turns = news.read.turns;
  }
  return thread != 0;
}

static bool tell_all(optrace_recorder *recorder, bool is_last) {
  bool has_written = false;
  own_lock(&lock);
  for (loop_note *note = notes; note; note = note->next)
    if (load_recorder(note) == recorder) has_written |= tell(recorder, note, is_last);
  pthread_mutex_unlock(&lock);
  return has_written;
}

bool loops_report(optrace_recorder *recorder, flusher_beat beat) {
  (void)beat;
  return atomic_load_explicit(&loops_recorded_in, memory_order_relaxed) == recorder && tell_all(recorder, false);
}

void loops_stop(optrace_recorder *recorder) {
  optrace_recorder *is = recorder;
  if (atomic_compare_exchange_strong(&loops_recorded_in, &is, NULL)) tell_all(recorder, true);
}

// ---- Threads -------------------------------------------------------------------------------------------------------

static pthread_key_t exit_key;
static bool has_exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

// The thread ends, and with it its last turn.
static void thread_exits(void *argument) {
  loop_note *note = argument;
  // In a forked child this note is only a copy, and the lock may stay locked forever.
  optrace_recorder *recorder = load_recorder(note);
  if (!recorder->base) return;
  bool is_recorded = loops_recorder() == recorder;
  if (is_recorded) loop_waits(note, recorder);
  own_lock(&lock);
  if (is_recorded) tell(recorder, note, true);
  for (loop_note **link = &notes; *link; link = &(*link)->next) {
    if (*link != note) continue;
    *link = note->next;
    break;
  }
  pthread_mutex_unlock(&lock);
  loop_of_thread = NULL;
  free(note);
}

static void make_exit_key(void) { has_exit_key = pthread_key_create(&exit_key, thread_exits) == 0; }

loop_note *loop_add(optrace_recorder *recorder, bool is_manager) {
  pthread_once(&exit_once, make_exit_key);
  loop_note *note = loop_of_thread;
  bool is_new = !note;
  if (!has_exit_key || (is_new && !(note = calloc(1, sizeof *note)))) return NULL;
  if (is_new && pthread_setspecific(exit_key, note) != 0) {
    free(note);
    return NULL;
  }
  // Ask for the bounds of the stack now, because they may be needed in a signal handler, where that is not allowed.
  stack_own_bounds();
  uint64_t now = recorder_now(recorder);
  own_lock(&lock);
  note->tid = optrace_thread_id();
  note->is_manager = is_manager;
  note->set = -1;
  atomic_store_explicit(&note->began, 0, memory_order_relaxed);
  atomic_store_explicit(&note->longest, 0, memory_order_relaxed);
  note->told = (loop_told){.at = now, .busy = load(&note->busy), .turns = atomic_load_explicit(&note->turns, memory_order_relaxed)};
  note->told.named = now;
  atomic_store_explicit(&note->recorder, recorder, memory_order_relaxed);
  if (is_new) {
    note->next = notes;
    notes = note;
  }
  pthread_mutex_unlock(&lock);
  return loop_of_thread = note;
}
