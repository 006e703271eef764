// Keeps the last signal of each object, from any thread, in a hash table of fixed size. When a bucket is full, the latest signals stay.
// A signal is written into a trace only when a wait is recorded.
#include "signals.h"

#include <stdatomic.h>

#include "../base/bits.h"
#include "../base/clock.h"
#include "../records/buffers.h"

enum { bucket_bits = 9, bucket_count = 1 << bucket_bits, bucket_slots = 4 };

// A slot is a sequence lock: a writer makes `state` odd, and even again when it is done. A writer that finds it odd gives up, because the
// signal that is being written is as recent as its own. A reader that sees the state change discards what it has read. The object
// addresses of a bucket share a cache line, because most lookups, when an object is created or destroyed, do not find it.
typedef struct {
  _Alignas(64) _Atomic uint64_t object[bucket_slots];
  _Atomic uint32_t state[bucket_slots];
  struct {
    _Atomic uint64_t ticks;
    _Atomic(optrace_recorder *) recorder;
    _Atomic uint32_t serial, thread;
  } signal[bucket_slots];
} bucket;

static bucket signal_table[bucket_count];
static _Atomic bool use_counter;

void signals_prepare(void) { atomic_store(&use_counter, optrace_clock_has_counter()); }

static bucket *bucket_of(uint64_t object) { return &signal_table[hash_index(object, bucket_bits)]; }

static inline uint64_t held(const bucket *p, uint32_t i) { return atomic_load_explicit(&p->object[i], memory_order_relaxed); }

// The object's own slot, else a free one, else the one with the oldest signal.
static uint32_t slot_for(const bucket *p, uint64_t object) {
  uint32_t best = bucket_slots;
  for (uint32_t i = 0; i < bucket_slots; i++) {
    if (held(p, i) == object) return i;
    if (!held(p, i) && best == bucket_slots) best = i;
  }
  if (best != bucket_slots) return best;
  uint64_t oldest = UINT64_MAX;
  for (uint32_t i = 0; i < bucket_slots; i++) {
    uint64_t ticks = atomic_load_explicit(&p->signal[i].ticks, memory_order_relaxed);
    if (i && ticks >= oldest) continue;
    oldest = ticks;
    best = i;
  }
  return best;
}

static bool open_slot(bucket *p, uint32_t i, uint32_t *state) {
  *state = atomic_load_explicit(&p->state[i], memory_order_relaxed);
  return *state % 2 == 0 && atomic_compare_exchange_strong_explicit(&p->state[i], state, *state + 1, memory_order_acq_rel,
                                                                    memory_order_relaxed);
}

void signal_note(uint64_t object, work inside) {
  optrace_recorder *recorder = inside.recorder;
  uint32_t serial = inside.number;
  uint32_t thread = thread_number(&recorder);
  bool counter = atomic_load_explicit(&use_counter, memory_order_relaxed);
  uint64_t now = counter ? optrace_counter() : optrace_clock_monotonic();
  bucket *p = bucket_of(object);
  uint32_t i = slot_for(p, object), state;
  if (!open_slot(p, i, &state)) return;
  atomic_store_explicit(&p->object[i], object, memory_order_relaxed);
  atomic_store_explicit(&p->signal[i].ticks, now, memory_order_relaxed);
  atomic_store_explicit(&p->signal[i].recorder, recorder, memory_order_relaxed);
  atomic_store_explicit(&p->signal[i].serial, serial, memory_order_relaxed);
  atomic_store_explicit(&p->signal[i].thread, thread, memory_order_relaxed);
  atomic_store_explicit(&p->state[i], state + 2, memory_order_release);
}

void signal_forget(uint64_t object) {
  bucket *p = bucket_of(object);
  for (uint32_t i = 0; i < bucket_slots; i++) {
    uint32_t state;
    if (held(p, i) != object || !open_slot(p, i, &state)) continue;
    if (held(p, i) == object) atomic_store_explicit(&p->object[i], 0, memory_order_relaxed);
    atomic_store_explicit(&p->state[i], state + 2, memory_order_release);
  }
}

static bool read_slot(bucket *p, uint32_t i, uint64_t object, signal_record *out) {
  uint32_t state = atomic_load_explicit(&p->state[i], memory_order_acquire);
  if (state % 2 || held(p, i) != object) return false;
  *out = (signal_record){
    .recorder = atomic_load_explicit(&p->signal[i].recorder, memory_order_relaxed),
    .ticks = atomic_load_explicit(&p->signal[i].ticks, memory_order_relaxed),
    .serial = atomic_load_explicit(&p->signal[i].serial, memory_order_relaxed),
    .thread = atomic_load_explicit(&p->signal[i].thread, memory_order_relaxed),
  };
  // Adding 0 is a barrier: it keeps the loads before it from moving behind it.
  return atomic_fetch_add_explicit(&p->state[i], 0, memory_order_acq_rel) == state;
}

// Looks at all slots, because two threads that signalled at once may have taken one each.
bool signal_find(uint64_t object, signal_record *out) {
  bucket *p = bucket_of(object);
  bool is_found = false;
  for (uint32_t i = 0; i < bucket_slots; i++) {
    signal_record one;
    if (!read_slot(p, i, object, &one) || (is_found && one.ticks <= out->ticks)) continue;
    *out = one;
    is_found = true;
  }
  return is_found;
}
