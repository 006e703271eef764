// Handing out and closing chunks. The caller holds the recorder's lock.
#include "chunks.h"

#include "rests.h"
#include "ring.h"

// The address of the next bytes to hand out. They are always in the last window.
static uint8_t *address(const optrace_recorder *recorder, uint64_t offset) {
  const file_window *window = &recorder->windows[recorder->window_count - 1];
  return window->at + (offset - window->offset);
}

chunk_header *chunk_take(optrace_recorder *recorder, uint32_t bytes, uint32_t kind, uint32_t thread, uint64_t ticks,
                         bool is_earned) {
  chunk_header *chunk;
  if (recorder->options.ring) {
    chunk = ring_take(recorder, is_earned);
    if (!chunk) return NULL;
  } else {
    uint64_t used = atomic_load_explicit(&recorder->used, memory_order_relaxed);
    uint64_t left = recorder->mapped - used;
    if (left < bytes) return NULL;
    chunk = (chunk_header *)(void *)address(recorder, used);
    chunk->bytes = bytes;
    chunk->sequence = recorder->sequence++;
    atomic_store_explicit(&recorder->used, used + bytes, memory_order_relaxed);
    atomic_store_explicit(header_word(recorder, optrace_header_end_offset), used + bytes, memory_order_release);
    // Little room is left: wake the flusher, so that it grows the file before any thread has to wait for that.
    if (left - bytes < used / 8 + 32 * 1024) pthread_cond_signal(&recorder->wake);
  }
  chunk->base_ticks = ticks;
  chunk->thread = thread;
  chunk->kind = kind;
  chunk->checksum = 0;
  atomic_store_explicit(&chunk->fill, 0, memory_order_relaxed);
  atomic_store_explicit(&chunk->state, optrace_chunk_state_open, memory_order_relaxed);
  // Store the magic number last: a reader that sees it also sees the rest of the header.
  atomic_store_explicit((_Atomic uint32_t *)(void *)&chunk->magic, optrace_chunk_magic, memory_order_release);
  return chunk;
}

void chunk_retire(optrace_recorder *recorder, chunk_header *chunk, uint64_t last_ticks) {
  recorder->settled += atomic_load_explicit(&chunk->fill, memory_order_relaxed);
  atomic_store_explicit(&chunk->state, optrace_chunk_state_retired, memory_order_release);
  if (recorder->options.ring) {
    ring_retire(recorder, chunk, last_ticks);
  } else if (recorder->unsealed_count < sizeof recorder->unsealed / sizeof *recorder->unsealed) {
    recorder->unsealed[recorder->unsealed_count++] = chunk;
    pthread_cond_signal(&recorder->wake);
  }
  // If the list is full, the chunk stays retired, and `stop` seals it.
}

void chunk_rest(optrace_recorder *recorder, chunk_header *chunk, uint64_t last_ticks) {
  enum { least = 256 };  // Less is not worth the records with which another thread begins.
  uint32_t used = (uint32_t)sizeof *chunk + atomic_load_explicit(&chunk->fill, memory_order_relaxed);
  if (chunk->bytes - used < least || !rests_add(recorder, chunk, last_ticks)) return chunk_retire(recorder, chunk, last_ticks);
  recorder->settled += atomic_load_explicit(&chunk->fill, memory_order_relaxed);
}

chunk_header *chunk_continue(optrace_recorder *recorder, uint32_t bytes, uint64_t *last_ticks) {
  chunk_header *chunk = rests_take(recorder, bytes, last_ticks);
  if (chunk) recorder->settled -= atomic_load_explicit(&chunk->fill, memory_order_relaxed);
  return chunk;
}
