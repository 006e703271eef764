// Turns of event loops: from the return of `epoll_wait` to the next call of it on the same thread.
#ifndef OPTRACE_LOOPS_H
#define OPTRACE_LOOPS_H

#include "../base/likely.h"
#include "../storage/recorder.h"

// What the next record of a loop counts from, and what was written of it. Times are in ticks.
typedef struct {
  uint64_t at, busy, began;
  uint32_t turns;
  uint64_t turn;  // The beginning of the turn that a `loop-turn` was written of while it ran.
  uint64_t written, turn_written, named;  // When the last records of each sort were written; 0: never.
} loop_told;

// A thread that has called `epoll_wait`.
typedef struct loop_note {
  // Written by the thread alone, read by others; `longest` is taken away by who writes it down.
  _Atomic uint32_t version;  // Odd while the thread changes what follows.
  _Atomic uint32_t turns;    // Those that have ended.
  _Atomic uint64_t began;    // The turn that runs; 0: the thread waits.
  _Atomic uint64_t busy;     // In all turns that have ended.
  _Atomic uint64_t longest;  // Of those that have ended and are in no record.

  // The thread's alone.
  int set;         // What it has waited for last.
  bool is_polled;  // That set was polled, and has events.

  // Under the lock.
  optrace_recorder *_Atomic recorder;
  bool is_manager;           // It is libdispatch's own thread.
  uint32_t tid;
  pid_t process;
  loop_told told;
  struct loop_note *next;
} loop_note;

// From here on turns are recorded in this recorder, if no other one records them.
void loops_record(optrace_recorder *recorder);
__attribute__((visibility("hidden"))) extern optrace_recorder *_Atomic loops_recorded_in;
// The recorder of turns; null: none at the moment.
static inline optrace_recorder *loops_recorder(void) {
  optrace_recorder *recorder = atomic_load_explicit(&loops_recorded_in, memory_order_acquire);
  return recorder_is_enabled(recorder) ? recorder : NULL;
}

// Makes the thread's note in a recorder. Null: there is no memory.
loop_note *loop_add(optrace_recorder *recorder, bool is_manager);

// Called by the flusher each time it wakes: writes what is due. True if it has written anything.
bool loops_report(optrace_recorder *recorder);
// Writes what is left, before the recorder stops.
void loops_stop(optrace_recorder *recorder);

// Of this thread; null: none. In the static TLS block, as `this_thread` of records/buffers.h.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local loop_note *loop_of_thread;

// The thread's note in a recorder; null: it has none yet.
static inline loop_note *loop_known(const optrace_recorder *recorder) {
  loop_note *note = loop_of_thread;
  return likely(note && atomic_load_explicit(&note->recorder, memory_order_relaxed) == recorder) ? note : NULL;
}

// A turn of so many milliseconds has a record of its own.
enum { loop_long_turn = 10 };
// Writes it.
void loop_turn_was_long(optrace_recorder *recorder, const loop_note *note, uint64_t began, uint64_t now);

// The next two are inline: they stand around a system call, after which calls and returns cost most.

// The thread calls `epoll_wait`: the turn that runs, if one does, is over.
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
