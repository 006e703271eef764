// How many operations, blocks and tasks are known and have not finished, counted by thread: each thread adds up what its own records
// change, and the flusher sums these.
#ifndef OPTRACE_PENDING_H
#define OPTRACE_PENDING_H

#include "../storage/thread_buffer.h"

// By how much a record of each kind changes the count.
__attribute__((visibility("hidden"))) extern const int8_t pending_by_kind[256];

static inline void count_pending(thread_buffer *buffer, int64_t change) {
  int64_t pending = atomic_load_explicit(&buffer->pending, memory_order_relaxed);
  atomic_store_explicit(&buffer->pending, pending + change, memory_order_relaxed);
}

#endif
