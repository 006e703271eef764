#include "sample.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../stacks/bounds.h"
#include "COpTrace.h"

memory_state *memory_here;
stack_table *memory_stacks;

// A quarter of the notes is left to what frees: an allocation that is lost is counted, but the end of a block that is watched must be told.
enum { room_for_ends = notes_most / 4, deepest = 128 };
// How far a thread that samples nothing counts, until it asks again.
static const uint64_t far_away = 1u << 30;

static bool is_open(void) {
  return memory_here && atomic_load_explicit(&memory_here->is_open, memory_order_acquire);
}

static uint64_t now(void) { return memory_here->use_counter ? optrace_counter() : optrace_clock_monotonic(); }

static uint32_t own_tid(void) {
  if (!countdown_here.tid) countdown_here.tid = optrace_thread_id();
  return countdown_here.tid;
}

static void count_lost(void) { atomic_fetch_add_explicit(&memory_here->lost, 1, memory_order_relaxed); }

bool sample_is_due(uint64_t size) {
  countdown *own = &countdown_here;
  if (own->is_inside) return false;
  if (!is_open() || own->is_quiet) {
    own->left = far_away;
    return false;
  }
  uint64_t interval = atomic_load_explicit(&memory_here->interval, memory_order_relaxed);
  bool is_first = !own->random;
  uint64_t next = countdown_draw(own, interval);
  // A new thread has not drawn yet.
  if (is_first && size <= next && interval > 1) {
    own->left = next - size;
    return false;
  }
  own->left = is_first ? countdown_draw(own, interval) : next;
  return true;
}

// ---- Stacks --------------------------------------------------------------------------------------------------------

// The C library may hold the lock that it would take to tell where this thread's stack is, so it is not asked from within itself.
static bool may_ask_bounds(uint64_t caller) {
  return stack_bounds_known() || caller < memory_here->library_low || caller >= memory_here->library_high;
}

static uint32_t walk(const sample_place *place, bool *is_object) {
  uint64_t addresses[deepest];
  *is_object = false;
  if (!place->caller || !memory_stacks) return 0;
  size_t guessed = 1, count = 1;
  addresses[0] = place->caller;
  if (may_ask_bounds(place->caller)) {
    stack_start start = stack_outside(&place->here, false);
    if (start.pc) count = stack_walk_here(&start, addresses, deepest, &guessed);
  }
  for (size_t i = 0; i < count && i < 3; i++)
    if (addresses[i] - memory_here->object_low < memory_here->object_high - memory_here->object_low) *is_object = true;
  bool is_new;
  uint32_t number = stack_table_add(memory_stacks, addresses, count, guessed, &is_new);
  if (is_new) stack_table_set_value(memory_stacks, number, modules_generation() + 1);
  return number;
}

// ---- Samples -------------------------------------------------------------------------------------------------------

static bool add_note(note_kind kind, uint32_t number, uint64_t size, uint64_t address, uint32_t stack, uint8_t call, bool is_object) {
  memory_note note = {.ticks = now(), .size = size, .address = address, .number = number, .stack = stack, .tid = own_tid(),
                      .kind = (uint8_t)kind, .call = call, .is_object = is_object};
  return notes_add(&memory_here->notes, &note);
}

static uint32_t next_number(void) {
  uint32_t number = atomic_fetch_add_explicit(&memory_here->number, 1, memory_order_relaxed) + 1;
  return number ? number : atomic_fetch_add_explicit(&memory_here->number, 1, memory_order_relaxed) + 1;
}

static void tell_gone(const live_block *taken, uint64_t word) {
  if (!add_note(note_freed, taken->number, taken->is_object ? word : 0, 0, 0, 0, false) && !live_bury(&memory_here->live, taken)) count_lost();
}

static void take(void *block, uint64_t size, uint64_t whole, uint8_t call, const sample_place *place) {
  if (notes_room(&memory_here->notes) <= room_for_ends) return count_lost();
  bool is_object;
  uint32_t stack = walk(place, &is_object), replaced = 0, number = 0;
  uint64_t interval = atomic_load_explicit(&memory_here->interval, memory_order_relaxed);
  if (block) {
    live_block watched = {.size = whole, .number = next_number(), .interval = interval < UINT32_MAX ? (uint32_t)interval : UINT32_MAX,
                          .stack = stack, .tid = own_tid(), .ticks = now(), .is_object = is_object};
    number = live_add(&memory_here->live, block, &watched, &replaced) ? watched.number : 0;
    if (!number) count_lost();
  }
  if (replaced) tell_gone(&(live_block){.number = replaced}, 0);
  uint64_t address = number ? (uint64_t)(uintptr_t)block : 0;
  if (!add_note(note_allocated, number, size, address, stack, call, is_object)) return count_lost();
  if (number && whole != size) add_note(note_resized, number, whole, 0, 0, 0, false);
}

static void take_guarded(void *block, uint64_t size, uint64_t whole, uint8_t call, const sample_place *place) {
  int error = errno;
  countdown_here.is_inside = true;
  take(block, size, whole, call, place);
  countdown_here.is_inside = false;
  errno = error;
}

void sample_take(void *block, uint64_t size, uint64_t whole, uint8_t call, sample_place place) {
  if (block) take_guarded(block, size, whole, call, &place);
}

void sample_count(uint64_t size, uint8_t call, sample_place place) { take_guarded(NULL, size, size, call, &place); }

// ---- What becomes of them ------------------------------------------------------------------------------------------

void sample_gone(const live_block *taken, uint64_t word) {
  if (is_open()) tell_gone(taken, word);
}

void sample_freed(void *block) {
  live_block taken;
  uint64_t word = 0;
  if (!memory_here || !live_take(&memory_here->live, block, &taken)) return;
  if (taken.is_object && taken.size >= sizeof word) memcpy(&word, block, sizeof word);
  sample_gone(&taken, word);
}

// A block that gets smaller is kept with the chance that it would have been sampled at its new size, if it was at its old one.
static bool is_kept(const live_block *block, uint64_t size) {
  if (size >= block->size || block->interval <= 1) return true;
  double was = countdown_chance(block->size, block->interval);
  return was <= 0 || countdown_toss(&countdown_here, countdown_chance(size, block->interval) / was);
}

void sample_moved(void *block, live_block *taken, uint64_t size) {
  if (!is_open()) return;
  int error = errno;
  uint32_t replaced = 0;
  bool is_changed = size != taken->size, stays = is_kept(taken, size);
  if (stays) {
    taken->size = size;
    stays = live_add(&memory_here->live, block, taken, &replaced);
    if (!stays) count_lost();
  }
  if (replaced) tell_gone(&(live_block){.number = replaced}, 0);
  if (!stays) tell_gone(taken, 0);
  else if (is_changed && !add_note(note_resized, taken->number, size, 0, 0, 0, false)) count_lost();
  errno = error;
}
