#include "meeting.h"

#include <stddef.h>

#include "../base/word.h"
#include "COpTrace.h"
#include "COpTraceFormat.h"

enum { seat_free, seat_taken, seat_waits, seat_goes };

static uint32_t state_of(const meeting_seat *seat) { return atomic_load_explicit(&seat->state, memory_order_acquire); }

static meeting_seat *sit(meeting *in, uint64_t places, const held_stack *held, uint64_t object, uint8_t kind) {
  for (uint32_t i = 0; i < meeting_most; i++) {
    meeting_seat *seat = &in->seat[i];
    uint32_t is_free = seat_free;
    if (!atomic_compare_exchange_strong(&seat->state, &is_free, seat_taken)) continue;
    seat->places = places, seat->object = object, seat->kind = kind, seat->count = held->count;
    for (uint32_t j = 0; j < held->count; j++) {
      seat->held[j] = held->things[j].object;
      seat->held_kind[j] = held->things[j].kind;
    }
    atomic_store(&seat->state, seat_waits);
    return seat;
  }
  return NULL;
}

// Whether the one wants what the other one holds. Which queue an operation needs to end is not known here, so any slot will do.
static bool wants(const meeting_seat *one, const meeting_seat *other) {
  bool is_wait = one->kind == optrace_held_operation || one->kind == optrace_held_whole_queue;
  for (uint32_t i = 0; i < other->count; i++) {
    if (other->held_kind[i] != (is_wait ? optrace_held_slot : one->kind)) continue;
    if (other->held[i] == one->object || one->kind == optrace_held_operation) return true;
  }
  return false;
}

// ---- Who waits for whom ----------------------------------------------------------------------------------------------

typedef struct {
  meeting *in;
  const plan *of;
  meeting_seat *seat[meeting_most];
  uint32_t length;
} circle;

static bool is_in(const circle *c, const meeting_seat *seat) {
  for (uint32_t i = 0; i < c->length; i++)
    if (c->seat[i] == seat) return true;
  return false;
}

// Whether those who wait lead on from this one, at this place, to the first.
static bool closes(circle *c, meeting_seat *seat, uint32_t at) {
  const plan_place *here = &c->of->place[at];
  c->seat[c->length++] = seat;
  if (c->length == here->count && wants(seat, c->seat[0])) return true;
  uint32_t next = here->index + 1 == here->count ? at + 1 - here->count : at + 1;
  for (uint32_t i = 0; i < meeting_most && c->length < here->count; i++) {
    meeting_seat *other = &c->in->seat[i];
    bool is_there = state_of(other) == seat_waits && other->places >> next & 1 && !is_in(c, other);
    if (is_there && wants(seat, other) && closes(c, other, next)) return true;
  }
  c->length--;
  return false;
}

// Whether as many wait at this place as fill the pool.
static bool is_crowded(circle *c, uint32_t at) {
  for (uint32_t i = 0; i < meeting_most; i++) {
    meeting_seat *one = &c->in->seat[i];
    if (state_of(one) == seat_waits && one->places >> at & 1) c->seat[c->length++] = one;
  }
  return c->length >= c->of->place[at].count;
}

static uint32_t all_are_there(meeting *in, const plan *of, meeting_seat *seat) {
  for (uint32_t i = 0; i < of->places; i++) {
    circle c = {.in = in, .of = of};
    if (!(seat->places >> i & 1)) continue;
    if (of->place[i].is_crowd ? !is_crowded(&c, i) : !closes(&c, seat, i)) continue;
    for (uint32_t j = 0; j < c.length; j++) {
      uint32_t waits = seat_waits;
      atomic_compare_exchange_strong(&c.seat[j]->state, &waits, seat_goes);
    }
    return of->place[i].finding;
  }
  return 0;
}

uint32_t meeting_wait(meeting *in, const plan *of, uint64_t places, const held_stack *held, uint64_t object, uint8_t kind) {
  const uint64_t a_millisecond = 1000000, longest_sleep = 20 * a_millisecond;
  meeting_seat *seat = sit(in, places, held, object, kind);
  if (!seat) return 0;
  uint64_t end = optrace_clock_monotonic() + of->wait * a_millisecond, now;
  uint32_t finding = all_are_there(in, of, seat);
  atomic_fetch_add(&in->arrivals, 1);
  word_wake(&in->arrivals);
  // Who comes last finds all of them, and lets them go.
  while (state_of(seat) == seat_waits && (now = optrace_clock_monotonic()) < end) {
    uint32_t seen = atomic_load(&in->arrivals);
    if (state_of(seat) == seat_waits) word_wait(&in->arrivals, seen, end - now < longest_sleep ? end - now : longest_sleep);
  }
  atomic_store_explicit(&seat->state, seat_free, memory_order_release);
  return finding;
}
