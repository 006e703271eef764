// A cache that maps two words to the id of an interned text. Both words may be addresses of code or data, which mean something else when
// another library is loaded there. So the entries of a library are forgotten when it is unloaded.
#include "../base/bits.h"
#include "../base/likely.h"
#include "../base/own_lock.h"
#include "../stacks/unloaded.h"
#include "recorder.h"

// The id of a forgotten entry. Later entries stay reachable, and the slot can be used again.
enum { cache_probes = 8 };
static const uint32_t cache_forgotten = UINT32_MAX;

static uint32_t cache_slot(uint64_t key1, uint64_t key2) {
  return hash_index(key1 ^ key2 * 0xFF51AFD7ED558CCDull, cache_slot_bits);
}

static __attribute__((noinline)) void forget_unloaded(optrace_recorder *recorder) {
  unloaded_modules unloaded;
  modules_find_unloaded(atomic_load(&recorder->cache_generation), &unloaded);
  own_lock(&recorder->lock);
  for (uint32_t slot = 0; slot < cache_slots; slot++) {
    uint32_t id = atomic_load_explicit(&recorder->cache[slot].id, memory_order_relaxed);
    if (id && id != cache_forgotten &&
        (unloaded_at(&unloaded, recorder->cache[slot].key1) || unloaded_at(&unloaded, recorder->cache[slot].key2)))
      atomic_store(&recorder->cache[slot].id, cache_forgotten);
  }
  pthread_mutex_unlock(&recorder->lock);
  atomic_store(&recorder->cache_generation, unloaded.generation);
}

uint32_t optrace_cache_find(optrace_recorder *recorder, uint64_t key1, uint64_t key2) {
  if (unlikely(atomic_load_explicit(&recorder->cache_generation, memory_order_acquire) != modules_generation()))
    forget_unloaded(recorder);
  uint32_t slot = cache_slot(key1, key2);
  for (uint32_t i = 0; i < cache_probes; i++, slot = (slot + 1) % cache_slots) {
    uint32_t id = atomic_load_explicit(&recorder->cache[slot].id, memory_order_acquire);
    if (!id) return 0;
    if (recorder->cache[slot].key1 != key1 || recorder->cache[slot].key2 != key2) continue;
    // Meanwhile the slot may have been given to another entry.
    if (id != cache_forgotten && atomic_load(&recorder->cache[slot].id) == id) return id;
  }
  return 0;
}

void optrace_cache_add(optrace_recorder *recorder, uint64_t key1, uint64_t key2, uint32_t id) {
  own_lock(&recorder->lock);
  uint32_t slot = cache_slot(key1, key2);
  for (uint32_t i = 0; i < cache_probes; i++, slot = (slot + 1) % cache_slots) {
    uint32_t is = atomic_load_explicit(&recorder->cache[slot].id, memory_order_relaxed);
    if (is && is != cache_forgotten) continue;
    recorder->cache[slot].key1 = key1;
    recorder->cache[slot].key2 = key2;
    atomic_store_explicit(&recorder->cache[slot].id, id, memory_order_release);
    break;
  }
  pthread_mutex_unlock(&recorder->lock);
}
