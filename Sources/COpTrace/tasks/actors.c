// Numbers of actors, by address. A slot keeps its address for good: nobody says when an actor goes.
#include "actors.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "../base/bits.h"

// Slots; how far an address may be from its first slot. Only used pages take memory.
enum { slot_bits = 15, slots = 1 << slot_bits, farthest = 32 };
typedef struct {
  _Atomic uint64_t address;
  _Atomic uint32_t number;  // 0: it has none yet.
} slot;

static slot table[slots];
static _Atomic uint32_t last_number;

static uint32_t number_of(slot *s) {
  uint32_t known = atomic_load_explicit(&s->number, memory_order_acquire);
  if (known) return known;
  uint32_t next = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
  // When two threads meet an actor at once, the second one's number stays unused.
  bool is_mine = atomic_compare_exchange_strong_explicit(&s->number, &known, next, memory_order_acq_rel, memory_order_acquire);
  return is_mine ? next : known;
}

uint32_t actor_number(const void *actor) {
  uint64_t address = (uint64_t)(uintptr_t)actor;
  uint32_t index = hash_address(actor, slot_bits);
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % slots) {
    uint64_t there = atomic_load_explicit(&table[index].address, memory_order_acquire);
    if (!there && atomic_compare_exchange_strong_explicit(&table[index].address, &there, address, memory_order_acq_rel,
                                                          memory_order_acquire))
      there = address;
    if (there == address) return number_of(&table[index]);
  }
  return 0;
}
