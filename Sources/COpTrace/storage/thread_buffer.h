// What a thread needs to write to a recorder.
#ifndef OPTRACE_THREAD_BUFFER_H
#define OPTRACE_THREAD_BUFFER_H

#include "../base/format.h"

// A note of what the thread waits for, or of the queue that it is adding to; see waits/waits.c.
typedef struct {
  _Atomic uint64_t state;
  _Atomic uint64_t object;  // A `waited_object`; see waits/waits.h.
  _Atomic uint64_t since;
  _Atomic uint32_t serial;  // The number of the operation.
  _Atomic uint32_t thread;
  // Where to walk the thread's stack from while the wait lasts. 0: not known.
  _Atomic uint64_t pc, sp, bp;
} wait_note;

// The low bits of `state`; the bits above count the thread's waits.
enum { wait_none = 0, wait_open = 1, wait_being_reported = 2, wait_reported = 3, wait_step = 4 };

static inline bool wait_is_noted(const wait_note *w) {
  return atomic_load_explicit(&w->state, memory_order_relaxed) % wait_step != wait_none;
}

// A buffer belongs to one thread and one recorder. It outlives its thread: the next new thread takes it over, with the rest of its
// chunk.
typedef struct thread_buffer {
  optrace_recorder *recorder;
  struct thread_buffer *next;      // This thread's other buffers, or the recorder's list of idle ones.
  chunk_header *chunk;
  uint8_t *cursor;
  uint8_t *end;
  uint64_t last_ticks;
  uint32_t thread;        // The thread's number in the trace.
  uint32_t tid;
  uint32_t next_serial, serials_left, serial_block;
  uint32_t chunk_size;    // The size of the next chunk.
  uint64_t lost;          // Losses that no record mentions yet.
  uint32_t lost_reason;
  // Called if the thread ends in the middle of a wait or an adding call. Set when the thread first waits or adds; from then on the
  // buffer stays in the recorder's list `waiting`. Null: it is not in the list.
  void (*ends)(struct thread_buffer *);
  struct thread_buffer *next_waiting;
  wait_note wait, adding, joining;  // A wait on an object; a call that adds; a wait for an operation or a queue.
  uint64_t stack_high;    // The highest address of the thread's stack; 0: not known.
  _Atomic int64_t pending;  // See records/pending.h.
  // For `optrace_recorder_activity` and snapshots. Guarded by the recorder's lock.
  chunk_header *open;     // The same as `chunk`, which only the thread itself may read; null before the first chunk.
  uint32_t live_tid;      // The system's thread id; 0: its thread has ended.
  struct thread_buffer *next_known;
} thread_buffer;

#endif
