// What connects a thread and a recorder.
#ifndef OPTRACE_THREAD_BUFFER_H
#define OPTRACE_THREAD_BUFFER_H

#include "../base/format.h"

// A wait of the thread, or the queue that it is adding to; see waits/waits.c.
typedef struct {
  _Atomic uint64_t state;
  _Atomic uint64_t object;  // A `waited_object`; see waits/waits.h.
  _Atomic uint64_t since;
  _Atomic uint32_t serial;  // The operation's.
  _Atomic uint32_t thread;
  // Where to walk the thread's stack from while the wait lasts. 0: not known.
  _Atomic uint64_t pc, sp, bp;
} wait_note;

// The low bits of `state`; the bits above count the thread's waits.
enum { wait_none = 0, wait_open = 1, wait_being_reported = 2, wait_reported = 3, wait_step = 4 };

static inline bool wait_is_noted(const wait_note *w) {
  return atomic_load_explicit(&w->state, memory_order_relaxed) % wait_step != wait_none;
}

// What a thread needs to write to one recorder. The buffer outlives its thread: the next new thread takes it over with the rest
// of its chunk.
typedef struct thread_buffer {
  optrace_recorder *recorder;
  struct thread_buffer *next;      // This thread's other buffers, or the recorder's list of idle ones.
  chunk_header *chunk;
  uint8_t *cursor;
  uint8_t *end;
  uint64_t last_ticks;
  uint32_t thread;        // Number in the trace.
  uint32_t tid;
  uint32_t next_serial, serials_left, serial_block;
  uint32_t chunk_size;    // The next chunk's.
  uint64_t lost;          // Not recorded yet.
  uint32_t lost_reason;
  // Set once the thread has waited or added: what to do when the thread ends in between. The buffer is then in the recorder's
  // list `waiting` for good. Null: not in the list.
  void (*ends)(struct thread_buffer *);
  struct thread_buffer *next_waiting;
  wait_note wait, adding, joining;  // On an object; in a call that adds; for an operation or a queue.
  uint64_t stack_high;    // The end of the thread's stack; 0: not known.
  _Atomic int64_t pending;  // See records/pending.h.
  // For `optrace_recorder_activity` and snapshots; under the recorder's lock.
  chunk_header *open;     // As `chunk`, which only the thread may read; null before the first.
  uint32_t live_tid;      // 0: its thread has ended.
  struct thread_buffer *next_known;
} thread_buffer;

#endif
