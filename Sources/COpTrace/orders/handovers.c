#include "handovers.h"

#include <errno.h>
#include <sys/mman.h>

#include "../base/addresses.h"
#include "../base/own_call.h"
#include "../held/held.h"
#include "../operations/frames.h"
#include "../records/emit.h"
#include "COpTraceFields.h"
#include "recording.h"
#include "seen.h"
#include "walk.h"

enum { object_bits = 14, place_bits = 12, pair_bits = 12, farthest = 16 };

// A place that signals, with its stack.
typedef struct {
  _Atomic uint64_t place;
  _Atomic uint32_t stack;
} signal_place;

// Two places. The first who did it are told of.
typedef struct {
  _Atomic uint64_t pair;
  _Atomic bool is_complete;
  bool is_timed, is_lock, had_to_wait;
  uint8_t kind;
  uint32_t waiter, signaller, waited_stack, signalled_stack;
  _Atomic uint32_t count;
  uint32_t written;  // The count that was written last.
} handover;

typedef struct {
  // The high half of a number: the place that signalled last, plus one; the low half: the work there.
  address_slot objects[1 << object_bits];
  // By the same index: the work or thread that has waited last.
  _Atomic uint32_t waiters[1 << object_bits];
  signal_place places[1 << place_bits];
  handover pairs[1 << pair_bits];
} tables;
static tables *_Atomic all_tables;

bool handovers_prepare(void) {
  tables *all = atomic_load(&all_tables);
  if (all) {
    madvise(all, sizeof *all, MADV_DONTNEED);
    return true;
  }
  all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return false;
  atomic_store_explicit(&all_tables, all, memory_order_release);
  return true;
}

static tables *get(void) { return atomic_load_explicit(&all_tables, memory_order_acquire); }

static uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t value = (a ^ b >> 31 ^ b << 33) * 0x9E3779B97F4A7C15ull;
  value = (value ^ value >> 32 ^ b) * 0xD6E8FEB86659FD93ull;
  return (value ^ value >> 32) | 1;
}

// The work, else the thread.
static uint32_t strand(void) {
  const uint32_t is_thread = 1u << 31;
  uint32_t number = this_frames.depth ? frame_work().number : 0;
  const held_stack *held = held_of_thread;
  return number ? number : (held ? atomic_load_explicit(&held->taken_by, memory_order_relaxed) : 0) | is_thread;
}

static uint32_t work_of(optrace_recorder *recorder) {
  work inside = frame_work();
  return inside.recorder == recorder ? inside.number : 0;
}

static __attribute__((noinline)) uint32_t stack_at(place at) {
  int error = errno;
  bool was = own_call_begins();
  walked now;
  walk_from(&now, at);
  uint32_t stack = walk_remember(&now);
  own_call_ends(was);
  errno = error;
  return stack;
}

// The index of a place plus one; 0: there is no room.
static uint32_t place_number(place at) {
  signal_place *places = get()->places;
  uint64_t place = mixed(at.pc, at.outer_pc);
  uint32_t index = (uint32_t)(place >> (64 - place_bits));
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % (1 << place_bits)) {
    uint64_t there = atomic_load_explicit(&places[index].place, memory_order_acquire);
    if (there == place) return index + 1;
    if (there || !atomic_compare_exchange_strong_explicit(&places[index].place, &there, place, memory_order_acq_rel, memory_order_acquire)) {
      if (there == place) return index + 1;
      continue;
    }
    atomic_store_explicit(&places[index].stack, stack_at(at), memory_order_release);
    return index + 1;
  }
  return 0;
}

static address_slot *slot_of(uint64_t object) {
  return address_slot_of(get()->objects, object_bits, (const void *)(uintptr_t)object);
}

void handover_signals(uint64_t object, place at) {
  if (!held_here()) return;
  address_slot *slot = slot_of(object);
  uint32_t number = slot ? place_number(at) : 0;
  if (!number) return;
  tables *all = get();
  // Who has waited for it gives it back, as a lock.
  uint32_t own = strand(), waiter = atomic_load_explicit(&all->waiters[slot - all->objects], memory_order_relaxed);
  const uint32_t as_lock = 1u << 31;
  uint64_t signal = (uint64_t)(number | (waiter == own ? as_lock : 0)) << 32 | work_of(orders_recorder());
  atomic_store_explicit(&slot->number, signal, memory_order_release);
}

uint64_t handover_waits(uint64_t object) {
  address_slot *slot = held_here() ? slot_of(object) : NULL;
  return slot ? atomic_load_explicit(&slot->number, memory_order_acquire) : 0;
}

static void fill(handover *to, uint8_t kind, bool is_timed, bool is_lock, bool had_to_wait, uint64_t signal, place at) {
  const uint32_t index = (uint32_t)(signal >> 32 & 0x7FFFFFFF) - 1;
  to->kind = kind;
  to->is_timed = is_timed;
  to->is_lock = is_lock;
  to->had_to_wait = had_to_wait;
  to->waiter = work_of(orders_recorder());
  to->signaller = (uint32_t)signal;
  to->waited_stack = stack_at(at);
  to->signalled_stack = atomic_load_explicit(&get()->places[index].stack, memory_order_acquire);
  atomic_store_explicit(&to->is_complete, true, memory_order_release);
}

void handover_waited(uint64_t object, uint8_t kind, bool is_timed, uint64_t before, place at) {
  if (!held_here()) return;
  address_slot *slot = slot_of(object);
  if (!slot) return;
  tables *all = get();
  uint64_t signal = atomic_load_explicit(&slot->number, memory_order_acquire);
  atomic_store_explicit(&all->waiters[slot - all->objects], strand(), memory_order_relaxed);
  if (!signal) return;  // It had a value from the beginning.
  bool is_lock = signal >> 63;
  uint64_t pair = mixed(mixed(at.pc, at.outer_pc), (signal >> 32) << 8 | (uint64_t)kind << 2 | (uint64_t)is_timed << 1 | is_lock);
  uint32_t index = (uint32_t)(pair >> (64 - pair_bits));
  for (uint32_t i = 0; i < farthest; i++, index = (index + 1) % (1 << pair_bits)) {
    handover *one = &all->pairs[index];
    uint64_t there = atomic_load_explicit(&one->pair, memory_order_acquire);
    if (there && there != pair) continue;
    if (!there && atomic_compare_exchange_strong_explicit(&one->pair, &there, pair, memory_order_acq_rel, memory_order_acquire)) {
      fill(one, kind, is_timed, is_lock, signal != before, signal, at);
    } else if (there != pair) {
      continue;
    }
    atomic_fetch_add_explicit(&one->count, 1, memory_order_relaxed);
    return;
  }
  atomic_fetch_add_explicit(&seen_lost.lost, 1, memory_order_relaxed);
}

void handover_forget(uint64_t object) {
  if (!held_here()) return;
  address_slot *slot = slot_of(object);
  if (!slot) return;
  atomic_store_explicit(&slot->number, 0, memory_order_release);
  atomic_store_explicit(&get()->waiters[slot - get()->objects], 0, memory_order_relaxed);
}

bool handovers_write(optrace_recorder *recorder, bool is_last) {
  tables *all = get();
  bool any = false;
  for (uint32_t i = 0; all && i < 1 << pair_bits; i++) {
    handover *one = &all->pairs[i];
    uint32_t count = atomic_load_explicit(&one->count, memory_order_relaxed);
    if (count <= one->written || (!is_last && count < 2 * one->written) || !atomic_load_explicit(&one->is_complete, memory_order_acquire)) continue;
    one->written = count;
    uint32_t most = optrace_handover_largest_count;
    optrace_handover_fields fields = {
      .at = walk_stack_id(recorder, one->waited_stack), .signalled_at = walk_stack_id(recorder, one->signalled_stack), .by = one->signaller,
      .kind = one->kind, .waited = one->had_to_wait, .timed = one->is_timed, .lock = one->is_lock, .count = count < most ? count : most,
    };
    optrace_emit3(recorder, optrace_kind_handover, one->waiter, optrace_handover_word1(fields), optrace_handover_word2(fields));
    any = true;
  }
  return any;
}
