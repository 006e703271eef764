// Records that survive when a ring recycles chunks: definitions, and records that are carried forward.
#include <string.h>

#include "../base/bits.h"
#include "../base/own_lock.h"
#include "../storage/chunks.h"
#include "../storage/file.h"
#include "../storage/ring.h"
#include "buffers.h"
#include "COpTraceFields.h"
#include "text.h"

bool optrace_define(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2,
                    const uint8_t *text, size_t length) {
  if (!recorder_is_enabled(recorder)) return false;
  bool has_text = kind >= 0xC0, has_word2 = kind != optrace_kind_string;
  uint32_t words = has_text ? (has_word2 ? 3 : 2) + (uint32_t)((length + 7) / 8) : 3;
  for (bool grown = false;; grown = true) {
    own_lock(&recorder->lock);
    thread_buffer *buffer = &recorder->definitions;
    bool stopping = recorder->stopping;
    if (!stopping && !buffer_fits(buffer, buffer->cursor, words * 8)) {
      uint64_t now = recorder_now(recorder);
      uint32_t bytes = buffer->chunk ? 16 * 1024 : 2048;
      if (bytes < words * 8 + sizeof(chunk_header)) bytes = chunk_bytes(words * 8);
      chunk_header *chunk = chunk_take(recorder, bytes, optrace_chunk_kind_definitions, 0, now, false);
      if (chunk) {
        if (buffer->chunk && !recorder->options.ring) chunk_retire(recorder, buffer->chunk, now);
        buffer->chunk = chunk;
        buffer->cursor = (uint8_t *)chunk + sizeof(chunk_header);
        atomic_store_explicit(&buffer->end, (uint8_t *)chunk + chunk->bytes, memory_order_relaxed);
      }
    }
    bool fits = !stopping && buffer_fits(buffer, buffer->cursor, words * 8);
    if (fits) {
      uint64_t head = record_head(kind, 0, subject);
      memcpy(buffer->cursor, &head, 8);
      if (has_text) {
        buffer_commit(buffer, store_text(buffer->cursor, words, pair_high(word1), has_word2, word2, text, length));
      } else {
        memcpy(buffer->cursor + 8, &word1, 8);
        memcpy(buffer->cursor + 16, &word2, 8);
        buffer_commit(buffer, buffer->cursor + 24);
      }
    }
    pthread_mutex_unlock(&recorder->lock);
    if (fits || stopping) return fits;
    if (grown || recorder->options.ring || !file_grow(recorder, 16 * 1024, false)) {
      uint32_t reason = recorder->options.ring ? optrace_loss_no_space : recorder->failure;
      if (recorder_is_enabled(recorder)) recorder_count_lost(recorder, reason, 1);
      return false;
    }
  }
}

// The chunk for the next carried records. Null: there is none.
static chunk_header *next_carried(optrace_recorder *recorder, thread_buffer *buffer, uint32_t thread, uint64_t base_ticks) {
  own_lock(&recorder->lock);
  chunk_header *chunk = ring_take_reserved(recorder);
  if (chunk && buffer->chunk) chunk_retire(recorder, buffer->chunk, recorder_now(recorder));
  pthread_mutex_unlock(&recorder->lock);
  if (!chunk) return NULL;
  chunk->thread = thread;
  chunk->kind = optrace_chunk_kind_carried;
  chunk->base_ticks = base_ticks;
  atomic_store_explicit(&chunk->state, optrace_chunk_state_open, memory_order_release);
  return chunk;
}

bool optrace_carry(optrace_recorder *recorder, uint32_t thread, uint32_t thread_tid, uint64_t base_ticks,
                   const uint8_t *records, uint32_t bytes) {
  thread_buffer *buffer = &recorder->carried;
  uint32_t needed = bytes + 32;
  if (needed + sizeof(chunk_header) > recorder->ring_chunk) return false;
  // Records that were carried before may fill more of the ring than newer ones: the oldest waits are the most likely evidence of a
  // hang, so a backlog of newer records must not push them out.
  uint64_t limit = recorder->options.capacity / 16 * (recorder->carries_again ? 8 : 7);
  if (recorder->carried_bytes + needed > limit) return false;
  if (!buffer_fits(buffer, buffer->cursor, needed)) {
    chunk_header *chunk = next_carried(recorder, buffer, thread, base_ticks);
    if (!chunk) return false;
    buffer->chunk = chunk;
    buffer->cursor = (uint8_t *)chunk + sizeof(chunk_header);
    atomic_store_explicit(&buffer->end, (uint8_t *)chunk + chunk->bytes, memory_order_relaxed);
  }
  optrace_thread_switched_fields switched = {.tid = thread_tid};
  uint64_t head[4] = {record_head(optrace_kind_thread_switched, 0, thread), optrace_thread_switched_word1(switched),
                      record_head(optrace_kind_time, 0, 0), optrace_time_word1((optrace_time_fields){.ticks = base_ticks})};
  memcpy(buffer->cursor, head, 32);
  memcpy(buffer->cursor + 32, records, bytes);
  buffer_commit(buffer, buffer->cursor + needed);
  recorder->carried_bytes += needed;
  return true;
}
