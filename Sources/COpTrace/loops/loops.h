// Turns of event loops. A turn lasts from the return of `epoll_wait` to the next call of it on the same thread.
#ifndef OPTRACE_LOOPS_H
#define OPTRACE_LOOPS_H

#include "../base/likely.h"
#include "../storage/recorder.h"

// What has been recorded of a loop: the totals from which the next record counts, and when records were written. Times are in ticks.
typedef struct {
  uint64_t at, busy, began;
  uint32_t turns;
  uint64_t turn;  // The beginning of the turn for which a `loop-turn` was written while it was still running.
  uint64_t written, turn_written, named;  // When the last record of each kind was written; 0: never.
} loop_told;

// A thread that has called `epoll_wait`.
typedef struct loop_note {
  // Written by the thread itself, and read by others. Whoever records `longest` resets it.
  _Atomic uint32_t version;  // Odd while the thread changes what follows.
  _Atomic uint32_t turns;    // How many turns have ended.
  _Atomic uint64_t began;    // When the current turn began; 0: the thread waits.
  _Atomic uint64_t busy;     // The length of all turns that have ended.
  _Atomic uint64_t longest;  // The longest turn that has ended since the last record.

  // Used only by the thread itself.
  int set;         // The epoll set that it has waited for last.
  bool is_polled;  // That set was polled, and events were available.

  // Guarded by the lock in loops.c.
  optrace_recorder *_Atomic recorder;
  bool is_manager;           // It is libdispatch's manager thread.
  uint32_t tid;
  loop_told told;
  struct loop_note *next;
} loop_note;

// From now on turns are recorded in this recorder, unless another one already records them.
void loops_record(optrace_recorder *recorder);
__attribute__((visibility("hidden"))) extern optrace_recorder *_Atomic loops_recorded_in;
// The recorder of turns; null: none at the moment.
static inline optrace_recorder *loops_recorder(void) {
  optrace_recorder *recorder = atomic_load_explicit(&loops_recorded_in, memory_order_acquire);
  return recorder_is_enabled(recorder) ? recorder : NULL;
}

// Makes the thread's note in a recorder. Null: there is no memory.
loop_note *loop_add(optrace_recorder *recorder, bool is_manager);

// A source of the flusher: see life/sources.h.
bool loops_report(optrace_recorder *recorder, flusher_beat beat);
void loops_stop(optrace_recorder *recorder);

// This thread's note; null: it has none. In the static TLS block, like `this_thread` in records/buffers.h.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local loop_note *loop_of_thread;

// The thread's note in a recorder; null: it has none yet.
static inline loop_note *loop_known(const optrace_recorder *recorder) {
  loop_note *note = loop_of_thread;
  return likely(note && atomic_load_explicit(&note->recorder, memory_order_relaxed) == recorder) ? note : NULL;
}

// A turn of at least this many milliseconds gets a record of its own.
enum { loop_long_turn = 10 };
// Writes that record.
void loop_turn_was_long(optrace_recorder *recorder, const loop_note *note, uint64_t began, uint64_t now);

// The next two functions are inline, because they enclose a system call, and calls and returns are most expensive right after that.

// The thread is about to call `epoll_wait`, which ends the current turn, if there is one.
static inline void loop_waits(loop_note *note, optrace_recorder *recorder) {
  uint64_t began = atomic_load_explicit(&note->began, memory_order_relaxed);
  if (!began) return;
  uint64_t now = recorder_now(recorder), length = likely(now > began) ? now - began : 0;
  uint32_t version = atomic_load_explicit(&note->version, memory_order_relaxed);
  uint32_t turns = atomic_load_explicit(&note->turns, memory_order_relaxed);
  uint64_t busy = atomic_load_explicit(&note->busy, memory_order_relaxed);
  atomic_store_explicit(&note->version, version + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&note->turns, turns + 1, memory_order_relaxed);
  atomic_store_explicit(&note->busy, busy + length, memory_order_relaxed);
  atomic_store_explicit(&note->began, 0, memory_order_relaxed);
  if (length > atomic_load_explicit(&note->longest, memory_order_relaxed))
    atomic_store_explicit(&note->longest, length, memory_order_relaxed);
  atomic_store_explicit(&note->version, version + 2, memory_order_release);
  if (unlikely(length >= loop_long_turn * recorder->millisecond)) loop_turn_was_long(recorder, note, began, now);
}

// The call has returned: a turn begins.
static inline void loop_turns(loop_note *note, const optrace_recorder *recorder) {
  if (recorder_is_enabled(recorder)) atomic_store_explicit(&note->began, recorder_now(recorder), memory_order_relaxed);
}

#endif
