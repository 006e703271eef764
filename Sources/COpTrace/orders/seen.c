#include "seen.h"

#include <stddef.h>
#include <sys/mman.h>

#include "../base/addresses.h"
#include "../base/likely.h"

// Slots of each table, and how many are probed.
enum { way_bits = 17, life_bits = 18, place_bits = 13, farthest = 16 };
// So many orders of different objects are recorded for the same places.
enum { most_alike = 32, hidden = 1 << 30 };

typedef struct {
  _Atomic uint64_t places;
  _Atomic uint32_t count;
} place_count;

typedef struct {
  seen_way ways[1 << way_bits];
  address_slot lives[1 << life_bits];
  place_count places[1 << place_bits];
  seen_sighting sightings[seen_most_sightings];
} tables;

// All of it is zeros until it is used, so it takes only as much memory as was seen.
static tables *_Atomic all_tables;
static _Atomic uint32_t ways_count, sightings_count, last_life;
seen_losses seen_lost;

bool seen_prepare(void) {
  tables *all = atomic_load(&all_tables);
  if (all) {
    // Nobody looks while nothing is recorded, or at most a thread that then adds what belongs to no recording.
    madvise(all, sizeof *all, MADV_DONTNEED);
  } else {
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return false;
  }
  atomic_store(&ways_count, 0);
  atomic_store(&sightings_count, 0);
  atomic_store(&seen_lost.lost, 0);
  atomic_store(&seen_lost.alike, 0);
  atomic_store(&seen_lost.moved, 0);
  atomic_store_explicit(&all_tables, all, memory_order_release);
  return true;
}

static tables *get(void) { return atomic_load_explicit(&all_tables, memory_order_acquire); }
static void count(_Atomic uint32_t *loss) { atomic_fetch_add_explicit(loss, 1, memory_order_relaxed); }

seen_way *seen_find(uint64_t way) {
  seen_way *ways = get()->ways;
  uint32_t index = (uint32_t)(way >> (64 - way_bits));
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % (1 << way_bits)) {
    uint64_t there = atomic_load_explicit(&ways[index].way, memory_order_acquire);
    if (likely(there == way)) return &ways[index];
    if (!there) return NULL;
  }
  return NULL;
}

seen_way *seen_add(uint64_t way) {
  seen_way *ways = get()->ways;
  uint32_t index = (uint32_t)(way >> (64 - way_bits));
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % (1 << way_bits)) {
    uint64_t there = 0;
    if (atomic_compare_exchange_strong_explicit(&ways[index].way, &there, way, memory_order_acq_rel, memory_order_acquire) || there == way)
      return &ways[index];
  }
  count(&seen_lost.lost);
  return NULL;
}

uint16_t seen_number(seen_way *way, bool *is_new) {
  uint16_t none = 0, known = atomic_load_explicit(&way->number, memory_order_acquire);
  *is_new = false;
  if (known) return known;
  uint32_t next = atomic_fetch_add_explicit(&ways_count, 1, memory_order_relaxed) + 1;
  if (next > seen_most_ways) {
    atomic_fetch_sub_explicit(&ways_count, 1, memory_order_relaxed);
    count(&seen_lost.lost);
    return 0;
  }
  *is_new = atomic_compare_exchange_strong_explicit(&way->number, &none, (uint16_t)next, memory_order_acq_rel, memory_order_acquire);
  return *is_new ? (uint16_t)next : none;
}

bool seen_is_rare(uint64_t places) {
  place_count *all = get()->places;
  uint32_t index = (uint32_t)(places >> (64 - place_bits));
  if (!places) places = 1;
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % (1 << place_bits)) {
    uint64_t there = atomic_load_explicit(&all[index].places, memory_order_acquire);
    if (!there && atomic_compare_exchange_strong_explicit(&all[index].places, &there, places, memory_order_acq_rel, memory_order_acquire))
      there = places;
    if (there != places) continue;
    if (atomic_load_explicit(&all[index].count, memory_order_relaxed) >= hidden) return false;
    if (atomic_load_explicit(&all[index].count, memory_order_relaxed) < most_alike &&
        atomic_fetch_add_explicit(&all[index].count, 1, memory_order_relaxed) < most_alike)
      return true;
    count(&seen_lost.alike);
    return false;
  }
  return true;
}

void seen_hide(uint64_t places) {
  place_count *all = get()->places;
  uint32_t index = (uint32_t)(places >> (64 - place_bits));
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % (1 << place_bits))
    if (atomic_load_explicit(&all[index].places, memory_order_acquire) == places)
      atomic_store_explicit(&all[index].count, hidden, memory_order_relaxed);
}

uint32_t seen_life(uint64_t address) {
  address_slot *slot = address_slot_of(get()->lives, life_bits, (const void *)(uintptr_t)address);
  if (unlikely(!slot)) {
    count(&seen_lost.lost);
    return 0;
  }
  uint64_t number = atomic_load_explicit(&slot->number, memory_order_acquire);
  if (likely(number)) return (uint32_t)number;
  uint64_t next = atomic_fetch_add_explicit(&last_life, 1, memory_order_relaxed) + 1;
  if (atomic_compare_exchange_strong_explicit(&slot->number, &number, next, memory_order_acq_rel, memory_order_acquire)) number = next;
  return (uint32_t)number;
}

static address_slot *known(uint64_t address) {
  address_slot *lives = get()->lives;
  uint32_t index = hash_address((const void *)(uintptr_t)address, life_bits);
  for (uint32_t i = 0; i < address_farthest; i++, index = (index + 1) % (1 << life_bits)) {
    uint64_t there = atomic_load_explicit(&lives[index].address, memory_order_acquire);
    if (there == address) return &lives[index];
    if (!there) return NULL;
  }
  return NULL;
}

bool seen_life_ends(uint64_t address) {
  address_slot *slot = known(address);
  return slot && atomic_exchange_explicit(&slot->number, 0, memory_order_acq_rel);
}

bool seen_is_alive(uint64_t address) {
  address_slot *slot = known(address);
  return slot && atomic_load_explicit(&slot->number, memory_order_acquire);
}

seen_sighting *seen_sighting_add(void) {
  // A few more may try at once, so the count is not let run on.
  if (atomic_load_explicit(&sightings_count, memory_order_relaxed) >= seen_most_sightings) {
    count(&seen_lost.lost);
    return NULL;
  }
  uint32_t index = atomic_fetch_add_explicit(&sightings_count, 1, memory_order_acq_rel);
  if (index < seen_most_sightings) return &get()->sightings[index];
  count(&seen_lost.lost);
  return NULL;
}

seen_sighting *seen_sighting_at(uint32_t index) {
  uint32_t count = atomic_load_explicit(&sightings_count, memory_order_acquire);
  return index < count && index < seen_most_sightings ? &get()->sightings[index] : NULL;
}
