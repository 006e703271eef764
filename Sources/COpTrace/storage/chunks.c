// Handing out and closing chunks. The caller holds the recorder's lock.
#include "chunks.h"

#include "ring.h"

// The address of the next bytes to hand out. They are always in the last window.
static uint8_t *address(const optrace_recorder *recorder, uint64_t offset) {
  const file_window *window = &recorder->windows[recorder->window_count - 1];
  return window->at + (offset - window->offset);
}

chunk_header *chunk_take(optrace_recorder *recorder, uint32_t bytes, uint32_t kind, uint32_t thread, uint64_t ticks) {
  chunk_header *chunk;
  if (recorder->options.ring) {
    chunk = ring_take(recorder);
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

void chunk_retire(optrace_recorder *recorder, chunk_header *chunk) {
  atomic_store_explicit(&chunk->state, optrace_chunk_state_retired, memory_order_release);
  if (recorder->options.ring) {
    uint32_t index = (uint32_t)(((uint8_t *)chunk - recorder->base - optrace_header_size) / recorder->ring_chunk);
    uint32_t slot = (recorder->ring_retired_head + recorder->ring_retired_count++) % recorder->ring_count;
    recorder->ring_retired[slot] = index;
    pthread_cond_signal(&recorder->wake);
  } else if (recorder->unsealed_count < sizeof recorder->unsealed / sizeof *recorder->unsealed) {
    recorder->unsealed[recorder->unsealed_count++] = chunk;
    pthread_cond_signal(&recorder->wake);
  }
  // If the list is full, the chunk stays retired, and `stop` seals it.
}
