// Numbers of actors, by address. A slot is never freed, because the recorder does not learn when an actor is freed.
#include "actors.h"

#include <stdbool.h>

#include "../base/addresses.h"

// Only used pages take memory.
enum { slot_bits = 15, slots = 1 << slot_bits };
static address_slot table[slots];
static _Atomic uint32_t last_number;

uint32_t actor_number(const void *actor) {
  address_slot *s = address_slot_of(table, slot_bits, actor);
  if (!s) return 0;
  uint64_t known = atomic_load_explicit(&s->number, memory_order_acquire);
  if (known) return (uint32_t)known;
  uint32_t next = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
  // When two threads do this for the same actor at once, the second one's number stays unused.
  bool is_mine = atomic_compare_exchange_strong_explicit(&s->number, &known, next, memory_order_acq_rel, memory_order_acquire);
  return is_mine ? next : (uint32_t)known;
}
