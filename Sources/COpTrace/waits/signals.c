// Who let waiting threads go on last: for each object the last signal, by any thread, in a table of fixed size. Where two
// objects meet in one place the later signal stays. Nothing is recorded until somebody tells of a wait.
#include "signals.h"

#include <stdatomic.h>

#include "../base/clock.h"
#include "../records/lanes.h"

enum { slots = 2048 };

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

static slot table[slots];
static _Atomic bool use_counter;

void signals_prepare(void) { atomic_store(&use_counter, optrace_clock_has_counter()); }

static slot *slot_of(uint64_t object) { return &table[(object * 0x9E3779B97F4A7C15ull) >> 53]; }
_Static_assert(slots == 1 << (64 - 53), "the shift yields an index");

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
  slot *s = slot_of(object);
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
  slot *s = slot_of(object);
  uint32_t state;
  if (atomic_load_explicit(&s->object, memory_order_relaxed) != object || !open_slot(s, &state)) return;
  if (atomic_load_explicit(&s->object, memory_order_relaxed) == object)
    atomic_store_explicit(&s->object, 0, memory_order_relaxed);
  atomic_store_explicit(&s->state, state + 2, memory_order_release);
}

bool signal_find(uint64_t object, signal_record *out) {
  slot *s = slot_of(object);
  uint32_t state = atomic_load_explicit(&s->state, memory_order_acquire);
  if (state & 1 || atomic_load_explicit(&s->object, memory_order_relaxed) != object) return false;
  *out = (signal_record){
    .recorder = atomic_load_explicit(&s->recorder, memory_order_relaxed),
    .ticks = atomic_load_explicit(&s->ticks, memory_order_relaxed),
    .serial = atomic_load_explicit(&s->serial, memory_order_relaxed),
    .thread = atomic_load_explicit(&s->thread, memory_order_relaxed),
  };
  // Adds nothing, and keeps the loads before it from moving behind it.
  return atomic_fetch_add_explicit(&s->state, 0, memory_order_acq_rel) == state;
}
