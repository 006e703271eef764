// The flight recorder: all chunks have the same size. When none is free, the chunk that was retired first is recycled, and its
// records of unfinished operations are carried forward. The caller holds the recorder's lock.
#include "ring.h"

#include <stdlib.h>
#include <string.h>

#include "../base/seal.h"

static chunk_header *chunk_at(optrace_recorder *recorder, uint32_t index) {
  return (chunk_header *)(void *)(recorder->base + optrace_header_size + (uint64_t)index * recorder->ring_chunk);
}

bool ring_prepare(optrace_recorder *recorder) {
  // Many chunks, so that a sleeping thread occupies little of the ring; but not too small ones, which names and threads would fill.
  uint64_t room = recorder->options.capacity - optrace_header_size;
  uint32_t size = 4096;
  while (size < 256 * 1024 && room / (size * 2) >= 64) size *= 2;
  recorder->ring_chunk = size;
  recorder->ring_count = (uint32_t)(room / size);
  recorder->ring_free = calloc(recorder->ring_count, sizeof(uint32_t));
  recorder->ring_retired = calloc(recorder->ring_count, sizeof(uint32_t));
  recorder->ring_copy = malloc(size);
  if (!recorder->ring_free || !recorder->ring_retired || !recorder->ring_copy) return false;
  for (uint32_t i = 0; i < recorder->ring_count; i++)
    recorder->ring_free[recorder->ring_free_count++] = recorder->ring_count - 1 - i;
  return true;
}

void ring_discard(optrace_recorder *recorder) {
  free(recorder->ring_free);
  free(recorder->ring_retired);
  free(recorder->ring_copy);
  recorder->ring_free = recorder->ring_retired = NULL;
  recorder->ring_copy = NULL;
  if (recorder->options.discard) recorder->options.discard(recorder->options.context);
}

void ring_scan(optrace_recorder *recorder) {
  while (recorder->ring_scanned < recorder->ring_retired_count) {
    uint32_t slot = (recorder->ring_retired_head + recorder->ring_scanned++) % recorder->ring_count;
    chunk_header *chunk = chunk_at(recorder, recorder->ring_retired[slot]);
    if (chunk->kind == optrace_chunk_kind_events)
      recorder->options.scan(recorder, recorder->options.context, (const uint8_t *)chunk,
                             (uint32_t)sizeof *chunk + atomic_load(&chunk->fill));
    chunk_seal(chunk);
  }
}

// Frees the oldest retired chunk. Carrying its records may take a free chunk at once, so the caller must check whether one is left.
// Do not call it while another chunk is being carried, because there is only one copy.
bool ring_recycle(optrace_recorder *recorder) {
  if (recorder->ring_retired_count == 0) return false;
  ring_scan(recorder);
  uint32_t index = recorder->ring_retired[recorder->ring_retired_head];
  recorder->ring_retired_head = (recorder->ring_retired_head + 1) % recorder->ring_count;
  recorder->ring_retired_count -= 1;
  recorder->ring_scanned -= 1;
  chunk_header *chunk = chunk_at(recorder, index);
  atomic_store_explicit(&chunk->state, optrace_chunk_state_recycling, memory_order_seq_cst);
  uint32_t fill = atomic_load(&chunk->fill);
  uint32_t bytes = (uint32_t)sizeof *chunk + fill;
  memcpy(recorder->ring_copy, chunk, bytes);
  if (chunk->kind == optrace_chunk_kind_carried)
    recorder->carried_bytes -= fill < recorder->carried_bytes ? fill : recorder->carried_bytes;
  recorder->ring_free[recorder->ring_free_count++] = index;

  recorder->carries_again = ((const chunk_header *)(const void *)recorder->ring_copy)->kind == optrace_chunk_kind_carried;
  uint64_t before = recorder->carried_bytes;
  recorder->options.carry(recorder, recorder->options.context, recorder->ring_copy, bytes);
  uint64_t kept = recorder->carried_bytes - before;
  if (kept < fill)
    atomic_fetch_add_explicit(header_word(recorder, optrace_header_overwritten_bytes), fill - kept, memory_order_relaxed);
  return true;
}

chunk_header *ring_take(optrace_recorder *recorder) {
  for (uint32_t tries = 0; recorder->ring_free_count <= ring_reserve(recorder) && tries < recorder->ring_count; tries++)
    if (!ring_recycle(recorder)) break;
  return ring_take_free(recorder);
}

chunk_header *ring_take_free(optrace_recorder *recorder) {
  if (recorder->ring_free_count == 0) return NULL;
  uint32_t index = recorder->ring_free[--recorder->ring_free_count];
  chunk_header *chunk = chunk_at(recorder, index);
  // Change these first: a reader that has copied the old records then sees another sequence number or state, and drops its copy.
  chunk->sequence = recorder->sequence++;
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(&chunk->fill, 0, memory_order_relaxed);
  chunk->bytes = recorder->ring_chunk;
  chunk->checksum = 0;
  atomic_store_explicit((_Atomic uint32_t *)(void *)&chunk->magic, optrace_chunk_magic, memory_order_release);
  uint64_t end = optrace_header_size + (uint64_t)(index + 1) * recorder->ring_chunk;
  if (end > atomic_load_explicit(&recorder->used, memory_order_relaxed)) {
    atomic_store_explicit(&recorder->used, end, memory_order_relaxed);
    atomic_store_explicit(header_word(recorder, optrace_header_end_offset), end, memory_order_release);
  }
  return chunk;
}
