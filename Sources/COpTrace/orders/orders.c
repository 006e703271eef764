#include "orders.h"

#include <errno.h>

#include "../operations/frames.h"
#include "../records/buffers.h"
#include "../stacks/locks.h"
#include "handovers.h"
#include "report.h"
#include "seen.h"
#include "starts.h"
#include "walk.h"

const char *orders_begin(optrace_recorder *recorder) {
  static _Atomic uint32_t recordings;
  held_set_recording(0);
  if (!held_prepare() || !seen_prepare() || !handovers_prepare() || !walks_prepare()) return "memory is out";
  locks_prepare();
  places_forget();
  starts_forget_all();
  orders_set_recorder(recorder);
  report_begins(recorder);
  held_set_recording(atomic_fetch_add(&recordings, 1) + 1);
  return NULL;
}

// ---- Ways ----------------------------------------------------------------------------------------------------------

static bool has_number(uint8_t kind) {
  return kind == optrace_held_queue || kind == optrace_held_slot || kind == optrace_held_operation || kind == optrace_held_whole_queue;
}

static inline uint32_t life_of(uint64_t object, uint8_t kind) { return has_number(kind) ? 0 : seen_life(object); }

// Spreads all of it over the bits. The two products do not wait for each other.
static inline uint64_t way_from(uint64_t outer, uint64_t object, uint32_t life, uint8_t kind, uint8_t how, uint64_t pc, uint64_t outer_pc) {
  uint64_t what = (object ^ (uint64_t)life << 36 ^ (uint64_t)kind << 56 ^ (uint64_t)how << 60) * 0x9E3779B97F4A7C15ull;
  uint64_t where = (pc ^ outer_pc << 23 ^ outer_pc >> 41) * 0xD6E8FEB86659FD93ull;
  uint64_t way = ((outer ^ what ^ what >> 32) + (where ^ where >> 29)) * 0xFF51AFD7ED558CCDull;
  way ^= way >> 32;
  return way ? way : 1;
}

// What a thread takes while it holds nothing gets its way only when it takes something else, which is seldom.
static __attribute__((noinline)) void find_ways(held_stack *held) {
  uint64_t outer = 0;
  for (uint32_t i = 0; i < held->count; i++) {
    held_thing *thing = &held->things[i];
    if (!thing->way) {
      if (!thing->life) thing->life = life_of(thing->object, thing->kind);
      thing->outer_way = outer;
      thing->way = way_from(outer, thing->object, thing->life, thing->kind, thing->how, thing->pc, thing->outer_pc);
    }
    outer = thing->way;
  }
}

// The same of the places alone.
static uint64_t places_of(const held_stack *held, place at, uint8_t kind, uint8_t how) {
  uint64_t places = 0;
  for (uint32_t i = 0; i < held->count; i++) {
    const held_thing *thing = &held->things[i];
    bool is_named = !thing->pc;
    places = way_from(places, is_named ? thing->object : 0, 0, thing->kind, thing->how, thing->pc, thing->outer_pc);
  }
  return way_from(places, 0, 0, kind, how, at.pc, at.outer_pc);
}

// ---- What is new ---------------------------------------------------------------------------------------------------

// Somebody who goes a way: the work, else the thread.
static uint32_t strand_of(const held_stack *held) {
  const uint32_t is_thread = 1u << 31;
  uint32_t number = this_frames.depth ? frame_work().number : 0;
  return number ? number : atomic_load_explicit(&held->taken_by, memory_order_relaxed) | is_thread;
}

// A mutex that another thread has given back is not held, nor one that was unlocked where nobody heard it. True: there was one.
static bool drop_stale(held_stack *held) {
  uint32_t tid = atomic_load_explicit(&held->taken_by, memory_order_relaxed), owner;
  bool any = false;
  for (int i = (int)held->count - 1; i >= 0; i--) {
    const held_thing *thing = &held->things[i];
    if (thing->kind != optrace_held_mutex || !locks_find_owner(thing->object, &owner) || owner == tid) continue;
    held_remove(held, i);
    any = true;
    atomic_fetch_add_explicit(&seen_lost.moved, 1, memory_order_relaxed);
  }
  return any;
}

static void add_sighting(uint16_t number, uint16_t outer, bool is_again, const held_thing *thing, uint32_t tid, uint32_t stack) {
  seen_sighting *entry = seen_sighting_add();
  if (!entry) return;
  optrace_recorder *recorder = orders_recorder();
  work inside = frame_work();
  bool is_numbered = has_number(thing->kind);
  entry->is_again = is_again;
  entry->kind = thing->kind;
  entry->how = thing->how;
  entry->number = number;
  entry->outer = outer;
  entry->object = is_numbered ? 0 : thing->object;
  entry->of = is_numbered ? (uint32_t)thing->object : thing->life;
  entry->work = inside.recorder == recorder ? inside.number : 0;
  const thread_buffer *buffer = recorder ? buffer_known(recorder) : NULL;
  entry->thread = buffer ? buffer->thread : 0;
  entry->tid = tid;
  entry->stack = stack;
  entry->ticks = recorder ? recorder_now(recorder) : 0;
  atomic_store_explicit(&entry->is_complete, true, memory_order_release);
}

// What system libraries lock for themselves is held, but not told of.
static bool is_told(const held_thing *thing, const walked *then) { return !thing->pc || walk_origin_of(then, thing->kind) == walk_is_programs; }

// The number of the way to all that is held; 0: none of it is told of, or there is no room (`is_full`). What is held is recorded only when
// something is taken after it.
static uint16_t number_of_held(const held_stack *held, const walked *now, bool *is_full) {
  static const uint16_t none = 0;
  uint16_t outer = none;
  for (uint32_t i = 0; i < held->count; i++) {
    const held_thing *thing = &held->things[i];
    walked then;
    walk_then(&then, thing, now);
    if (!is_told(thing, &then)) continue;
    seen_way *way = seen_add(thing->way);
    bool is_new = false;
    uint16_t number = way ? seen_number(way, &is_new) : none;
    *is_full = !number;
    if (!number) return none;
    if (is_new)
      add_sighting(number, outer, false, thing, atomic_load_explicit(&held->taken_by, memory_order_relaxed), walk_remember(&then));
    outer = number;
  }
  return outer;
}

// From now on nobody asks for this way.
static void settle(seen_way *way) {
  if (way) atomic_store_explicit(&way->strands, seen_most_strands, memory_order_relaxed);
}

static void note_way(held_stack *held, uint32_t strand, const held_thing *thing, place at, uint64_t places) {
  walked now;
  walk_from(&now, at);
  walk_origin origin = walk_origin_of(&now, thing->kind);
  if (origin == walk_is_never) seen_hide(places);
  bool is_full = false;
  uint16_t outer = origin == walk_is_programs ? number_of_held(held, &now, &is_full) : 0;
  if (is_full) return;
  seen_way *way = seen_add(thing->way);
  if (!outer) return settle(way);
  bool is_new;
  uint16_t number = way ? seen_number(way, &is_new) : 0;
  if (!number) return;
  atomic_store_explicit(&way->strand, strand, memory_order_relaxed);
  atomic_fetch_add_explicit(&way->strands, 1, memory_order_relaxed);
  if (!held->is_start_told) start_is_wanted(atomic_load_explicit(&held->taken_by, memory_order_relaxed));
  held->is_start_told = true;
  add_sighting(number, outer, !is_new, thing, atomic_load_explicit(&held->taken_by, memory_order_relaxed), walk_remember(&now));
}

// False: something was not held any more, so the way is another one.
static __attribute__((noinline)) bool note(held_stack *held, bool is_known, uint32_t strand, const held_thing *thing, place at) {
  int error = errno;
  bool was = own_call_begins();
  bool is_so = is_known || !drop_stale(held);
  uint64_t places = is_so ? places_of(held, at, thing->kind, thing->how) : 0;
  if (is_so && (is_known || seen_is_rare(places))) note_way(held, strand, thing, at, places);
  own_call_ends(was);
  errno = error;
  return is_so;
}

// Objects have ended since: what is held has its ways, but those that were gone before may not be gone again.
static __attribute__((noinline)) void forget_ways(held_stack *held) {
  for (uint32_t i = held->count; i < held_most; i++) held->things[i].object = held->things[i].way = 0;
  held->epoch = held_epoch();
}

static held_thing thing_of(uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp) {
  return (held_thing){.object = object, .pc = pc, .outer_pc = outer_pc, .sp = sp, .times = 1, .kind_and_how = (uint16_t)what};
}

static __attribute__((noinline)) void look_up(held_stack *held, held_thing thing) {
  place at = {thing.pc, thing.outer_pc, thing.sp};
  thing.life = life_of(thing.object, thing.kind);
  for (bool is_so = false; !is_so && held->count;) {
    const held_thing *top = &held->things[held->count - 1];
    if (unlikely(!top->way)) find_ways(held);
    thing.outer_way = top->way;
    thing.way = way_from(top->way, thing.object, thing.life, thing.kind, thing.how, thing.pc, thing.outer_pc);
    seen_way *known = seen_find(thing.way);
    is_so = true;
    if (likely(known && (atomic_load_explicit(&known->strand, memory_order_relaxed) == thing.strand ||
                         atomic_load_explicit(&known->strands, memory_order_relaxed) >= seen_most_strands)))
      break;
    is_so = note(held, known, thing.strand, &thing, at);
  }
  const seen_way *now = thing.way ? seen_find(thing.way) : NULL;
  if (now && atomic_load_explicit(&now->strands, memory_order_relaxed) >= seen_most_strands) thing.strand = held_any_strand;
  // For `orders_add`, and for the next time.
  if (held->count && held->count < held_most) held->things[held->count] = thing;
}

// Whether this is what the thread took last while it held the same.
static inline bool is_same(const held_thing *last, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc) {
  return held_is(last, object, (uint16_t)what, pc, outer_pc) && last->way && last->outer_way == (last - 1)->way;
}

int32_t orders_look(held_stack *held, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp) {
  uint32_t count = held->count, strand = strand_of(held);
  if (unlikely(held->epoch != held_epoch())) forget_ways(held);
  if (likely(count < held_most && is_same(&held->things[count], object, what, pc, outer_pc) &&
             (held->things[count].strand == strand || held->things[count].strand == held_any_strand)))
    return -1;
  held_thing thing = thing_of(object, what, pc, outer_pc, sp);
  int again = held_find(held, object, thing.kind);
  if (again >= 0) return again;
  thing.strand = strand;
  held_enter(held);
  look_up(held, thing);
  held_leave(held);
  return -1;
}

void orders_add(held_stack *held, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp) {
  uint32_t count = held->count;
  if (unlikely(count >= held_most)) return held_count_deep();
  held_enter(held);
  held_thing *next = &held->things[count];
  if (likely(is_same(next, object, what, pc, outer_pc))) {
    next->sp = sp;
    next->times = 1;
  } else {
    // A signal handler was here meanwhile.
    *next = thing_of(object, what, pc, outer_pc, sp);
  }
  held->count = count + 1;
  held_leave(held);
}

void orders_add_first(held_stack *held, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp) {
  held->things[0] = thing_of(object, what, pc, outer_pc, sp);
  held->count = 1;
  held_leave(held);
}

// ---- Rarely --------------------------------------------------------------------------------------------------------

// Locks that nothing was taken with, and the recorder's own, are of no interest.
void orders_moved(uint64_t object) {
  if (seen_is_alive(object)) atomic_fetch_add_explicit(&seen_lost.moved, 1, memory_order_relaxed);
}

void orders_forget(uint64_t object) {
  if (!orders_are_wanted() || is_own_call) return;
  if (seen_life_ends(object)) atomic_fetch_add_explicit(&atomic_load(&held_all)->epoch, 1, memory_order_relaxed);
}

bool orders_suspend(uint64_t object, uint8_t kind, held_thing *out) {
  held_stack *held = held_here();
  int at = held ? held_find(held, object, kind) : -1;
  if (at < 0) return false;
  *out = held->things[at];
  held_remove(held, at);
  return true;
}

void orders_resume(const held_thing *thing, place at) {
  uint8_t how = thing->how & (uint8_t)~held_kept;
  wish wanted = orders_want(thing->object, thing->kind, how, at);
  orders_take(wanted, thing->object, thing->kind, how, at);
  if (wanted.held && wanted.again < 0 && wanted.held->count) wanted.held->things[wanted.held->count - 1].times = thing->times;
}
