// The calling thread's buffers: one for each recorder that it writes to.
#ifndef OPTRACE_BUFFERS_H
#define OPTRACE_BUFFERS_H

#include "../base/likely.h"
#include "../storage/recorder.h"

typedef struct {
  thread_buffer *buffers;
  // How often our destructor has run for this thread. Destructors that run later may still record something, for example when they
  // free an object. The system then runs ours again, at most PTHREAD_DESTRUCTOR_ITERATIONS times. What is recorded after that is lost.
  uint32_t exits;
  // The recorder and the thread's number before our destructor ran, so that late records get the same number.
  const optrace_recorder *ended_recorder;
  uint32_t ended_thread;
} buffers_of_thread;

// In the static TLS block, so that no function call is needed to find it. It is small enough for the space that glibc keeps free
// there for libraries that are loaded with dlopen. Other C libraries keep no such space.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local buffers_of_thread this_thread;

// The thread's buffer for this recorder, created on first use. Null: the thread is ending, or memory is out.
thread_buffer *buffer_acquire(optrace_recorder *recorder);

static inline thread_buffer *buffer_find(optrace_recorder *recorder) {
  thread_buffer *buffer = this_thread.buffers;
  return likely(buffer && buffer->recorder == recorder) ? buffer : buffer_acquire(recorder);
}

// Leaves the chunk to others. The caller is the buffer's thread, or knows that this one is not writing; it holds the recorder's lock.
void buffer_give_back(thread_buffer *buffer);

// The thread's buffer for this recorder; null if it has none yet.
thread_buffer *buffer_known(const optrace_recorder *recorder);
// The thread's number in the recorder; 0: none. If *recorder is null, it is set to the recorder that the thread wrote to last.
uint32_t thread_number(optrace_recorder **recorder);

// Writes the record with the thread's name, at most `longest_name_record` bytes. Returns its size.
enum { longest_name_record = 64 };
uint32_t thread_name_record(const thread_buffer *buffer, uint8_t *out);

// A record is written between `buffer_enter` and `buffer_commit`. Only if `buffer_fits` says yes in between may it be written. The
// flusher takes the chunk back in two steps, at least a millisecond apart: it sets `end` to null, and later looks whether the thread is
// between these two. A thread that has entered before that is seen there, as its store has long left the processor by then; one that
// enters later finds no room. So no fence is needed here, which would cost more than the record.
static inline void buffer_enter(thread_buffer *buffer) {
  atomic_store_explicit(&buffer->is_writing, true, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);  // Keeps the compiler from moving the check before the store.
}

// After `buffer_enter`, if nothing is written.
static inline uint8_t *buffer_refuse(thread_buffer *buffer) {
  atomic_store_explicit(&buffer->is_writing, false, memory_order_release);
  return NULL;
}

// Ends the use of the chunk that many threads share; see records/shared.h.
void shared_end(thread_buffer *buffer);

// Makes the record visible to readers: they read as far as `fill` says.
static inline void buffer_commit(thread_buffer *buffer, uint8_t *end) {
  buffer->cursor = end;
  atomic_store_explicit(&buffer->chunk->fill, (uint32_t)(end - (uint8_t *)buffer->chunk - sizeof(chunk_header)),
                        memory_order_release);
  atomic_store_explicit(&buffer->is_writing, false, memory_order_release);
  if (unlikely(buffer->is_sharing)) shared_end(buffer);
}

#endif
