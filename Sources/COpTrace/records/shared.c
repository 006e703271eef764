#include "shared.h"

#include "../base/own_lock.h"
#include "../storage/chunks.h"
#include "buffers.h"
#include "COpTraceFields.h"
#include "words.h"

// The time and the thread, before a record of another thread.
enum { switch_records = 32 };

static bool has_room(const shared_chunk *shared, uint32_t bytes) {
  return shared->chunk && (size_t)((uint8_t *)shared->chunk + shared->chunk->bytes - shared->cursor) >= bytes;
}

// Replaces a full chunk. False: there is none.
static bool renew(thread_buffer *buffer, shared_chunk *shared, uint64_t now) {
  optrace_recorder *recorder = buffer->recorder;
  own_lock(&recorder->lock);
  chunk_header *chunk =
    recorder->stopping ? NULL : chunk_take(recorder, recorder->ring_chunk, optrace_chunk_kind_events, buffer->thread, now, false);
  if (chunk && shared->chunk) chunk_retire(recorder, shared->chunk, shared->last_ticks);
  if (chunk) shared->chunk = chunk;
  pthread_mutex_unlock(&recorder->lock);
  if (!chunk) return false;
  shared->cursor = (uint8_t *)chunk + sizeof *chunk;
  shared->last_ticks = now;
  shared->thread = buffer->thread;
  return true;
}

// Names the thread, if it has not written to this chunk before.
static uint8_t *store_name(thread_buffer *buffer, const shared_chunk *shared, uint8_t *at) {
  if (buffer->named_in == shared->chunk->sequence) return at;
  buffer->named_in = shared->chunk->sequence;
  return at + thread_name_record(buffer, at);
}

uint8_t *shared_begin(thread_buffer *buffer, uint32_t bytes, uint64_t now, uint64_t *delta) {
  optrace_recorder *recorder = buffer->recorder;
  shared_chunk *shared = &recorder->shared;
  if (own_trylock(&shared->lock) != 0) return NULL;
  uint32_t needed = bytes + switch_records + longest_name_record;
  if (!has_room(shared, needed) && (needed + sizeof(chunk_header) > recorder->ring_chunk || !renew(buffer, shared, now))) {
    pthread_mutex_unlock(&shared->lock);
    return NULL;
  }
  // Another core's counter may be a little behind, or the clock was read before the lock was there.
  if (now < shared->last_ticks) now = shared->last_ticks;
  uint8_t *at = shared->cursor;
  if (shared->thread != buffer->thread || now - shared->last_ticks > optrace_format_largest_delta) {
    optrace_thread_switched_fields fields = {.tid = buffer->tid};
    at = store_pair(at, optrace_kind_time, 0, optrace_time_word1((optrace_time_fields){.ticks = now}));
    at = store_pair(at, optrace_kind_thread_switched, buffer->thread, optrace_thread_switched_word1(fields));
    shared->last_ticks = now;
  }
  at = store_name(buffer, shared, at);
  *delta = now - shared->last_ticks;
  shared->last_ticks = now;
  shared->thread = buffer->thread;
  buffer->chunk = shared->chunk;
  buffer->is_sharing = true;
  return at;
}

void shared_end(thread_buffer *buffer) {
  shared_chunk *shared = &buffer->recorder->shared;
  shared->cursor = buffer->cursor;
  buffer->chunk = NULL;
  buffer->is_sharing = false;
  atomic_fetch_sub_explicit(&buffer->may_share, 1, memory_order_relaxed);
  pthread_mutex_unlock(&shared->lock);
}
