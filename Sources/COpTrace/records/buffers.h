// The buffers of this thread.
#ifndef OPTRACE_BUFFERS_H
#define OPTRACE_BUFFERS_H

#include "../base/likely.h"
#include "../storage/recorder.h"

typedef struct {
  thread_buffer *buffers;
  // How often its destructor has run. Other destructors may still record something, such as an object that goes with
  // the thread; the system then calls ours again, so many times and no more: what comes after is lost.
  uint32_t exits;
  // What it was called before.
  const optrace_recorder *ended_recorder;
  uint32_t ended_thread;
} buffers_of_thread;

// In the block that every thread has from its beginning: finding it is no call, and it is small enough for what is left there
// when the recorder is loaded late. Other systems than glibc keep nothing for that.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local buffers_of_thread this_thread;

// The thread's thread_buffer for this recorder; the first time it is made. Null: it is too late for this thread, or memory is out.
thread_buffer *buffer_acquire(optrace_recorder *recorder);

static inline thread_buffer *buffer_find(optrace_recorder *recorder) {
  thread_buffer *buffer = this_thread.buffers;
  return likely(buffer && buffer->recorder == recorder) ? buffer : buffer_acquire(recorder);
}

// The one that this thread has; null: none.
thread_buffer *buffer_known(const optrace_recorder *recorder);
// The number that this thread has in the recorder; null: in the one that it wrote to last, which is given back. 0: none.
uint32_t thread_number(optrace_recorder **recorder);

// The record that tells the thread's name, of at most so many bytes; returns how many.
enum { longest_name_record = 64 };
uint32_t thread_name_record(const thread_buffer *buffer, uint8_t *out);

// Records of chunks are visible once `fill` covers them.
static inline void buffer_commit(thread_buffer *buffer, uint8_t *end) {
  buffer->cursor = end;
  atomic_store_explicit(&buffer->chunk->fill, (uint32_t)(end - (uint8_t *)buffer->chunk - sizeof(chunk_header)),
                        memory_order_release);
}

#endif
