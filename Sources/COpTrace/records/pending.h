// How many operations, blocks and tasks are known and have not finished, counted by thread: each thread adds up what its own records
// change, and the flusher sums these.
#ifndef OPTRACE_PENDING_H
#define OPTRACE_PENDING_H

#include "../storage/thread_buffer.h"

// By how much a record of each kind changes the count. Here, and not in a source: for a kind that is known it is a constant.
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
