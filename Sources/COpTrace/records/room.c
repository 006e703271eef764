// The slow path: gets a new chunk for a thread buffer, or counts a loss if there is none.
#include "room.h"

#include <string.h>

#include "../storage/chunks.h"
#include "../storage/file.h"
#include "COpTraceFields.h"
#include "buffers.h"
#include "words.h"

static bool lose(thread_buffer *buffer, uint32_t reason) {
  buffer->lost += 1;
  buffer->lost_reason = reason;
  buffer->end = buffer->cursor;  // Close the chunk: a smaller record that still fits would hide the gap.
  recorder_count_lost(buffer->recorder, reason, 1);
  return false;
}

static bool refill(thread_buffer *buffer, uint32_t needed, uint64_t ticks) {
  enum { first_chunk = 2048, largest_chunk = 256 * 1024, own_records = 16 + longest_name_record };
  optrace_recorder *recorder = buffer->recorder;
  uint64_t retry_at = atomic_load_explicit(&recorder->retry_at, memory_order_relaxed);
  if (unlikely(retry_at && optrace_clock_monotonic() < retry_at)) return lose(buffer, recorder->failure);

  uint32_t bytes = buffer->chunk_size ? buffer->chunk_size : first_chunk;
  uint32_t least = (uint32_t)sizeof(chunk_header) + needed + own_records;
  if (bytes < least) bytes = chunk_bytes(needed + own_records);
  chunk_header *chunk;
  for (;;) {
    pthread_mutex_lock(&recorder->lock);
    if (recorder->stopping || !atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) {
      pthread_mutex_unlock(&recorder->lock);
      return false;  // Not a loss: the recorder was stopped.
    }
    chunk = chunk_take(recorder, bytes, optrace_chunk_kind_events, buffer->thread, ticks);
    if (chunk && buffer->chunk) chunk_retire(recorder, buffer->chunk);
    if (chunk) buffer->open = chunk;
    pthread_mutex_unlock(&recorder->lock);
    if (chunk) break;
    if (recorder->options.ring) return lose(buffer, optrace_loss_no_space);
    if (!file_grow(recorder, bytes, false)) {
      if (bytes > first_chunk && least <= first_chunk) {
        bytes = first_chunk;  // Retry with the smallest chunk, to use the rest of the space.
        buffer->chunk_size = 0;
        continue;
      }
      if (!atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) return false;  // It was stopped meanwhile.
      return lose(buffer, recorder->failure);
    }
  }

  buffer->chunk = chunk;
  buffer->end = (uint8_t *)chunk + chunk->bytes;
  buffer->last_ticks = ticks;
  buffer->chunk_size = bytes < largest_chunk / 4 ? bytes * 4 : largest_chunk;
  uint8_t *at = (uint8_t *)chunk + sizeof(chunk_header);
  if (buffer->lost) {
    optrace_lost_fields fields = {.count = buffer->lost};
    uint64_t words[2] = {record_head(optrace_kind_lost, 0, buffer->lost_reason), optrace_lost_word1(fields)};
    memcpy(at, words, 16);
    at += 16;
    buffer->lost = 0;
  }
  at += thread_name_record(buffer, at);
  buffer_commit(buffer, at);
  return true;
}

uint8_t *buffer_reserve_slowly(thread_buffer *buffer, uint32_t bytes, uint64_t now, uint64_t *delta) {
  bool far = *delta > optrace_format_largest_delta;
  if ((size_t)(buffer->end - buffer->cursor) < bytes + (far ? 16 : 0)) {
    if (!refill(buffer, bytes, now)) return NULL;
  } else if (far) {
    uint64_t words[2] = {record_head(optrace_kind_time, 0, 0), optrace_time_word1((optrace_time_fields){.ticks = now})};
    memcpy(buffer->cursor, words, 16);
    buffer->cursor += 16;  // Not committed yet: it becomes visible with the next record.
  }
  *delta = 0;
  return buffer->cursor;
}

const void *optrace_chunk_with(optrace_recorder *recorder, uint32_t bytes) {
  enum { own_records = 16 + longest_name_record };
  thread_buffer *buffer = recorder_is_enabled(recorder) ? buffer_find(recorder) : NULL;
  if (!buffer) return NULL;
  uint32_t most = recorder->options.ring ? recorder->ring_chunk - (uint32_t)sizeof(chunk_header) - own_records : bytes;
  if (bytes > most) bytes = most;
  uint64_t delta = 0;
  if ((size_t)(buffer->end - buffer->cursor) < bytes) buffer_reserve_slowly(buffer, bytes, recorder_now(recorder), &delta);
  return buffer->chunk;
}
