// Computes checksums and seals chunks.
#include "seal.h"

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

// The checksum covers the header, in its sealed state, and the records.
void chunk_seal(chunk_header *chunk) {
  uint32_t fill = atomic_load_explicit(&chunk->fill, memory_order_acquire);
  struct { uint8_t bytes[sizeof(chunk_header)]; } copy;
  chunk_header sealed = {0};
  memcpy(&sealed, chunk, sizeof sealed);
  sealed.checksum = 0;
  atomic_store_explicit(&sealed.state, optrace_chunk_state_sealed, memory_order_relaxed);
  memcpy(&copy, &sealed, sizeof copy);
  uint64_t hash = optrace_checksum(0x9E3779B97F4A7C15ull, &copy, sizeof copy);
  chunk->checksum = optrace_checksum(hash, (const uint8_t *)chunk + sizeof *chunk, fill);
  atomic_store_explicit(&chunk->state, optrace_chunk_state_sealed, memory_order_release);
}
