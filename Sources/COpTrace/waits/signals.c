// Who let waiting threads go on last: for each object the last signal, by any thread, in a table of fixed size. Where too
// many objects meet in one place the latest signals stay. Nothing is recorded until somebody tells of a wait.
#include "signals.h"

#include <stdatomic.h>

#include "../base/clock.h"
#include "../records/lanes.h"

enum { places = 512, slots_of_place = 4 };

// A writer turns `state` from even to odd, and back when it is done. Who finds it odd goes away: another signal of this
// moment stands for his. A reader that finds it changed has seen nothing.
typedef struct {
  _Alignas(64) _Atomic uint32_t state;
  _Atomic uint32_t serial;
  _Atomic uint64_t object;
  _Atomic uint64_t ticks;
  _Atomic(optrace_recorder *) recorder;
  _Atomic uint32_t thread;
} slot;

static slot table[places][slots_of_place];
static _Atomic bool use_counter;

void signals_prepare(void) { atomic_store(&use_counter, optrace_clock_has_counter()); }

static slot *place_of(uint64_t object) { return table[(object * 0x9E3779B97F4A7C15ull) >> 55]; }
_Static_assert(places == 1 << (64 - 55), "the shift yields an index");

static inline bool holds(const slot *s, uint64_t object) {
  return atomic_load_explicit(&s->object, memory_order_relaxed) == object;
}

// The object's own, else one that is free, else the one that was written to first.
static slot *slot_for(uint64_t object) {
  slot *place = place_of(object), *best = place;
  uint64_t oldest = UINT64_MAX;
  for (slot *s = place; s < place + slots_of_place; s++) {
    if (holds(s, object)) return s;
    uint64_t ticks = holds(s, 0) ? 0 : atomic_load_explicit(&s->ticks, memory_order_relaxed);
    if (ticks >= oldest) continue;
    oldest = ticks;
    best = s;
  }
  return best;
}

static bool open_slot(slot *s, uint32_t *state) {
  *state = atomic_load_explicit(&s->state, memory_order_relaxed);
  return !(*state & 1) && atomic_compare_exchange_strong_explicit(&s->state, state, *state + 1, memory_order_acq_rel,
                                                                  memory_order_relaxed);
}

void signal_note(uint64_t object, work inside) {
  optrace_recorder *recorder = inside.recorder;
  uint32_t serial = inside.number;
  uint32_t thread = lane_thread(&recorder);
  bool counter = atomic_load_explicit(&use_counter, memory_order_relaxed);
  uint64_t now = counter ? optrace_counter() : optrace_clock_monotonic();
  slot *s = slot_for(object);
  uint32_t state;
  if (!open_slot(s, &state)) return;
  atomic_store_explicit(&s->object, object, memory_order_relaxed);
  atomic_store_explicit(&s->ticks, now, memory_order_relaxed);
  atomic_store_explicit(&s->recorder, recorder, memory_order_relaxed);
  atomic_store_explicit(&s->serial, serial, memory_order_relaxed);
  atomic_store_explicit(&s->thread, thread, memory_order_relaxed);
  atomic_store_explicit(&s->state, state + 2, memory_order_release);
}

void signal_forget(uint64_t object) {
  slot *place = place_of(object);
  for (slot *s = place; s < place + slots_of_place; s++) {
    uint32_t state;
    if (!holds(s, object) || !open_slot(s, &state)) continue;
    if (holds(s, object)) atomic_store_explicit(&s->object, 0, memory_order_relaxed);
    atomic_store_explicit(&s->state, state + 2, memory_order_release);
  }
}

static bool read_slot(slot *s, uint64_t object, signal_record *out) {
  uint32_t state = atomic_load_explicit(&s->state, memory_order_acquire);
  if (state & 1 || !holds(s, object)) return false;
  *out = (signal_record){
    .recorder = atomic_load_explicit(&s->recorder, memory_order_relaxed),
    .ticks = atomic_load_explicit(&s->ticks, memory_order_relaxed),
    .serial = atomic_load_explicit(&s->serial, memory_order_relaxed),
    .thread = atomic_load_explicit(&s->thread, memory_order_relaxed),
  };
  // Adds nothing, and keeps the loads before it from moving behind it.
  return atomic_fetch_add_explicit(&s->state, 0, memory_order_acq_rel) == state;
}

// Two threads that signal at once may have taken a slot each.
bool signal_find(uint64_t object, signal_record *out) {
  slot *place = place_of(object);
  bool is_found = false;
  for (slot *s = place; s < place + slots_of_place; s++) {
    signal_record one;
    if (!read_slot(s, object, &one) || (is_found && one.ticks <= out->ticks)) continue;
    *out = one;
    is_found = true;
  }
  return is_found;
}
