// Counts the operations, blocks and tasks that are known and not finished. Each thread adds up the changes by its own records, and
// the flusher sums over all threads.
#ifndef OPTRACE_PENDING_H
#define OPTRACE_PENDING_H

#include "../storage/thread_buffer.h"

// How much a record of each kind changes the count. It is in a header, so that the compiler can fold it where the kind is constant.
static const int8_t pending_by_kind[256] = {
  [optrace_kind_operation_created] = 1, [optrace_kind_finished] = -1, [optrace_kind_finished_with_error] = -1,
  [optrace_kind_block_submitted] = 1, [optrace_kind_run_ended] = -1, [optrace_kind_block_dropped] = -1,
  [optrace_kind_task_created] = 1, [optrace_kind_task_completed] = -1,
  [optrace_kind_added] = 1, [optrace_kind_added_behind_last] = 1, [optrace_kind_ended_finished] = -1,
};

static inline void count_pending(thread_buffer *buffer, int64_t change) {
  int64_t pending = atomic_load_explicit(&buffer->pending, memory_order_relaxed);
  atomic_store_explicit(&buffer->pending, pending + change, memory_order_relaxed);
}

#endif
