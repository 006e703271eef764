// Tells observers whether a recorder has written anything.
#include "../base/own_lock.h"
#include "../storage/recorder.h"

// The sum changes with every record: chunks are numbered in the order in which they are handed out, and in between `fill` only grows. A
// chunk that is given back adds as much to `settled`.
bool optrace_recorder_activity(optrace_recorder *recorder, uint64_t *out) {
  if (!optrace_recorder_is_recording(recorder)) return false;
  own_lock(&recorder->lock);
  bool is_open = !recorder->stopping && recorder->base;
  if (is_open) {
    const uint64_t more_than_fills = (uint64_t)1 << 40;
    uint64_t activity = recorder->sequence * more_than_fills + recorder->settled;
    for (thread_buffer *buffer = recorder->known; buffer; buffer = buffer->next_known)
      if (buffer->open) activity += atomic_load_explicit(&buffer->open->fill, memory_order_relaxed);
    if (recorder->shared.chunk) activity += atomic_load_explicit(&recorder->shared.chunk->fill, memory_order_relaxed);
    for (uint32_t reason = 0; reason < 8; reason++)
      activity += atomic_load_explicit(header_word(recorder, optrace_header_loss_counts + 8 * reason), memory_order_relaxed);
    *out = activity;
  }
  pthread_mutex_unlock(&recorder->lock);
  return is_open;
}
