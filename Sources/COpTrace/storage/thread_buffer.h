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
  // Of a lock: the system id of the thread that has it. Of a system call: the address of an argument (waits/calls.h). 0: none.
  _Atomic uint64_t detail;
  // Where to walk the thread's stack from while the wait lasts. 0: not known.
  _Atomic uint64_t pc, sp, bp;
} wait_note;

// The low bits of `state`; the bits above count the thread's waits.
enum { wait_none = 0, wait_open = 1, wait_being_reported = 2, wait_reported = 3, wait_step = 4 };

static inline bool wait_is_noted(const wait_note *w) {
  return atomic_load_explicit(&w->state, memory_order_relaxed) % wait_step != wait_none;
}

// A buffer belongs to one thread and one recorder. It outlives its thread: the next new thread takes it over.
typedef struct thread_buffer {
  optrace_recorder *recorder;
  struct thread_buffer *next;      // This thread's other buffers, or the recorder's list of idle ones.
  chunk_header *chunk;             // Null: none, or the flusher has taken it back (records/reclaim.c).
  uint8_t *cursor;
  // Where the chunk ends. Null: the thread must take the slow path, because it has no chunk, has lost records, or the flusher wants
  // the chunk back.
  uint8_t *_Atomic end;
  // True while the thread writes a record: it has checked `end`, and has not published the record yet.
  _Atomic bool is_writing;
  bool is_sharing;        // It writes to the chunk that many threads share; see records/shared.h.
  _Atomic uint8_t may_share;  // How many more records it may write there. The flusher sets it where it has taken the chunk of a silent thread.
  uint64_t last_ticks;
  // Of the newest record that others have written to the chunk before: a thread may have read the clock long before it got the chunk.
  uint64_t newest_of_others;
  uint32_t thread;        // The thread's number in the trace.
  uint32_t tid;
  uint32_t next_serial, serials_left, serial_block;
  uint32_t chunk_size;    // The size of the next chunk.
  uint64_t named_in;      // The number of the last shared chunk in which the thread is named.
  // In a ring without room: the thread does not try before this monotonic time, unless `has_room_again` has changed.
  uint64_t quiet_until;
  uint32_t quiet_since_room;
  uint64_t lost;          // Losses that no record mentions yet.
  uint32_t lost_reason;
  // Called if the thread ends in the middle of a wait or an adding call. Set when the thread first waits or adds; from then on the
  // buffer stays in the recorder's list `waiting`. Null: it is not in the list.
  void (*ends)(struct thread_buffer *);
  struct thread_buffer *next_waiting;
  wait_note wait, adding, joining;  // A wait on an object; a call that adds; a wait for an operation or a queue.
  uint64_t stack_high;    // The highest address of the thread's stack; 0: not known.
  _Atomic int64_t pending;  // See records/pending.h.
  // Guarded by the recorder's lock.
  chunk_header *open;     // The same as `chunk`, which only the thread itself may read without the lock.
  uint32_t live_tid;      // The system's thread id; 0: its thread has ended.
  // For records/reclaim.c. Guarded by the recorder's lock.
  bool is_asked;          // The flusher has asked for the chunk, by setting `end` to null.
  uint32_t fill_seen;     // The chunk's fill when the flusher last looked.
  uint64_t sequence_seen; // The chunk's number then.
  struct thread_buffer *next_known;
} thread_buffer;

// How many records a thread writes to the chunk of a ring that many threads share, before it gets its own: at first, and after it has been
// silent for seconds.
enum { shared_at_first = 16, shared_after_silence = 8 };

// The ticks of the newest record in the thread's chunk.
static inline uint64_t buffer_newest(const thread_buffer *buffer) {
  return buffer->last_ticks > buffer->newest_of_others ? buffer->last_ticks : buffer->newest_of_others;
}

// Whether a record of this size fits behind `at`. Called between `buffer_enter` and `buffer_leave` where the flusher may take chunks back.
static inline bool buffer_fits(const thread_buffer *buffer, const uint8_t *at, size_t bytes) {
  return (uintptr_t)at + bytes <= (uintptr_t)atomic_load_explicit(&buffer->end, memory_order_relaxed);
}

#endif
