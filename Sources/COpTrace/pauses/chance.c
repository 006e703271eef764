#include "chance.h"

#include <string.h>

#include "../stacks/modules.h"

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ b * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull;
  return x ^ x >> 32;
}

static uint64_t offset_of(uint64_t pc) {
  const module *one = pc ? module_at(module_of(pc)) : NULL;
  if (!one) return 0;
  uint64_t id = 0;
  memcpy(&id, one->id, sizeof id);
  return mix(pc - one->base, id);
}

uint64_t chance_place(place at) { return mix(offset_of(at.pc), offset_of(at.outer_pc)); }
uint64_t chance_work(uint32_t number, uint32_t what) { return mix(number, what); }

// Which time this is, from 1. Where there is no room it is always the first.
static uint32_t visit(chance *of, uint64_t place) {
  uint64_t key = place ? place : 1;
  enum { longest_search = 64 };
  for (uint32_t i = 0; i < longest_search; i++) {
    uint32_t at = (uint32_t)(key + i) % chance_places;
    uint64_t there = atomic_load_explicit(&of->entry[at].place, memory_order_relaxed);
    if (!there && atomic_compare_exchange_strong(&of->entry[at].place, &there, key)) there = key;
    if (there == key) return atomic_fetch_add_explicit(&of->entry[at].visits, 1, memory_order_relaxed) + 1;
  }
  return 1;
}

// How many places a program has nobody knows, so each seed chooses one of another number, and small ones more often.
static uint64_t rarity(uint64_t seed) {
  static const uint64_t one_of[] = {2, 8, 4, 64, 2, 16, 4, 256};
  return one_of[seed % (sizeof one_of / sizeof *one_of)];
}

uint32_t chance_pause(chance *of, uint64_t seed, uint64_t place) {
  enum { first_visits = 8 };
  static const uint32_t milliseconds[] = {5, 50, 300};
  uint64_t choice = mix(mix(seed, 1), place);
  uint32_t time = visit(of, place);
  if (choice % rarity(seed)) return 0;
  // Of the first times every other one; later ever more seldom.
  if (time > first_visits && (time & (time - 1))) return 0;
  uint64_t now = mix(choice, time);
  return now & 1 ? 0 : milliseconds[(now >> 8) % (sizeof milliseconds / sizeof *milliseconds)];
}
