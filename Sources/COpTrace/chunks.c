// Handing out and closing chunks. The recorder's lock is held throughout.
#include "internal.h"

#include <string.h>

uint64_t optrace_checksum(uint64_t hash, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  size_t offset = 0;
  for (; offset + 8 <= count; offset += 8) {
    uint64_t word;
    memcpy(&word, at + offset, 8);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
  }
  if (offset < count) {
    uint64_t rest = 0;
    memcpy(&rest, at + offset, count - offset);
    hash = (hash ^ rest) * 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
  }
  return hash;
}

// The checksum of a header as it is when sealed, and of the records.
void chunk_seal(chunk_header *chunk) {
  uint32_t fill = atomic_load_explicit(&chunk->fill, memory_order_acquire);
  struct { uint8_t bytes[sizeof(chunk_header)]; } copy;
  chunk_header sealed = {0};
  memcpy(&sealed, chunk, sizeof sealed);
  sealed.checksum = 0;
  atomic_store_explicit(&sealed.state, chunk_sealed, memory_order_relaxed);
  memcpy(&copy, &sealed, sizeof copy);
  uint64_t hash = optrace_checksum(0x9E3779B97F4A7C15ull, &copy, sizeof copy);
  chunk->checksum = optrace_checksum(hash, (const uint8_t *)chunk + sizeof *chunk, fill);
  atomic_store_explicit(&chunk->state, chunk_sealed, memory_order_release);
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
    chunk = (chunk_header *)(void *)file_address(recorder, used);
    chunk->bytes = bytes;
    chunk->sequence = recorder->sequence++;
    atomic_store_explicit(&recorder->used, used + bytes, memory_order_relaxed);
    atomic_store_explicit(header_word(recorder, optrace_header_end_offset), used + bytes, memory_order_release);
    // The keeper grows the file before anybody has to wait for it.
    if (left - bytes < used / 8 + 32 * 1024) pthread_cond_signal(&recorder->wake);
  }
  chunk->base_ticks = ticks;
  chunk->thread = thread;
  chunk->kind = kind;
  chunk->checksum = 0;
  atomic_store_explicit(&chunk->fill, 0, memory_order_relaxed);
  atomic_store_explicit(&chunk->state, chunk_open, memory_order_relaxed);
  // The magic number last: a reader that sees it sees the rest.
  atomic_store_explicit((_Atomic uint32_t *)(void *)&chunk->magic, chunk_magic, memory_order_release);
  return chunk;
}

void chunk_retire(optrace_recorder *recorder, chunk_header *chunk) {
  atomic_store_explicit(&chunk->state, chunk_retired, memory_order_release);
  if (recorder->options.ring) {
    uint32_t index = (uint32_t)(((uint8_t *)chunk - recorder->base - optrace_header_bytes) / recorder->ring_chunk);
    uint32_t place = (recorder->ring_retired_head + recorder->ring_retired_count++) % recorder->ring_count;
    recorder->ring_retired[place] = index;
    pthread_cond_signal(&recorder->wake);
  } else if (recorder->unsealed_count < sizeof recorder->unsealed / sizeof *recorder->unsealed) {
    recorder->unsealed[recorder->unsealed_count++] = chunk;
    pthread_cond_signal(&recorder->wake);
  }
  // Else it stays retired: `stop` seals it.
}
