// Hands out numbers for operations, queues and spans.
#include "buffers.h"

uint32_t optrace_recorder_next_serial(optrace_recorder *recorder) {
  // Small programs get 1, 2, 3, ... Busy threads take whole blocks, so that they do not contend for a cache line for each number.
  thread_buffer *buffer = buffer_find(recorder);
  if (buffer && buffer->serials_left) {
    buffer->serials_left -= 1;
    return buffer->next_serial++;
  }
  if (buffer && buffer->serial_block < 64) buffer->serial_block += 1;
  uint32_t count = !buffer || buffer->serial_block < 32 ? 1 : 64;
  uint32_t seen = atomic_load_explicit(&recorder->next_serial, memory_order_relaxed), first;
  do {
    first = seen;
    if (seen <= UINT32_MAX - count) continue;
    if (!recorder->options.ring) {
      recorder_count_lost(recorder, optrace_loss_table_full, 1);
      return 0;
    }
    // A ring may run for weeks. What had these numbers first is over and overwritten, except for work that has not ended since.
    first = 1;
  } while (!atomic_compare_exchange_weak_explicit(&recorder->next_serial, &seen, first + count, memory_order_relaxed,
                                                  memory_order_relaxed));
  if (buffer) {
    buffer->next_serial = first + 1;
    buffer->serials_left = count - 1;
  }
  return first;
}

uint32_t optrace_recorder_next_queue(optrace_recorder *recorder) {
  return atomic_fetch_add_explicit(&recorder->next_queue, 1, memory_order_relaxed);
}

uint32_t optrace_recorder_next_span(optrace_recorder *recorder) {
  return atomic_fetch_add_explicit(&recorder->next_span, 1, memory_order_relaxed);
}
