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

// The thread's buffer for this recorder; null if it has none yet.
thread_buffer *buffer_known(const optrace_recorder *recorder);
// The thread's number in the recorder; 0: none. If *recorder is null, it is set to the recorder that the thread wrote to last.
uint32_t thread_number(optrace_recorder **recorder);

// Writes the record with the thread's name, at most `longest_name_record` bytes. Returns its size.
enum { longest_name_record = 64 };
uint32_t thread_name_record(const thread_buffer *buffer, uint8_t *out);

// Makes the record visible to readers: they read as far as `fill` says.
static inline void buffer_commit(thread_buffer *buffer, uint8_t *end) {
  buffer->cursor = end;
  atomic_store_explicit(&buffer->chunk->fill, (uint32_t)(end - (uint8_t *)buffer->chunk - sizeof(chunk_header)),
                        memory_order_release);
}

#endif
