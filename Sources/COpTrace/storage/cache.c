// A cache that maps two words to the id of an interned text.
#include "../base/bits.h"
#include "recorder.h"

static uint32_t cache_slot(uint64_t key1, uint64_t key2) {
  return hash_index(key1 ^ key2 * 0xFF51AFD7ED558CCDull, cache_slot_bits);
}

uint32_t optrace_cache_find(optrace_recorder *recorder, uint64_t key1, uint64_t key2) {
  uint32_t slot = cache_slot(key1, key2);
  for (uint32_t i = 0; i < 8; i++, slot = (slot + 1) % cache_slots) {
    uint32_t id = atomic_load_explicit(&recorder->cache[slot].id, memory_order_acquire);
    if (!id) return 0;
    if (recorder->cache[slot].key1 == key1 && recorder->cache[slot].key2 == key2) return id;
  }
  return 0;
}

void optrace_cache_add(optrace_recorder *recorder, uint64_t key1, uint64_t key2, uint32_t id) {
  pthread_mutex_lock(&recorder->lock);
  uint32_t slot = cache_slot(key1, key2);
  for (uint32_t i = 0; i < 8; i++, slot = (slot + 1) % cache_slots) {
    if (atomic_load_explicit(&recorder->cache[slot].id, memory_order_relaxed)) continue;
    recorder->cache[slot].key1 = key1;
    recorder->cache[slot].key2 = key2;
    atomic_store_explicit(&recorder->cache[slot].id, id, memory_order_release);
    break;
  }
  pthread_mutex_unlock(&recorder->lock);
}
