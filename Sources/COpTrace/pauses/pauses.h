// Makes threads pause for a moment, so that they meet as they seldom do: `optrace provoke` at the places of a deadlock that has not happened
// yet, `optrace shake` at places by chance. Each pause is bounded, so is their number, and each is a mark in the trace.
//
// A program that is only recorded pays nothing: calls for locks then have other hooks, and the rest asks this only where it records orders.
#ifndef OPTRACE_PAUSES_H
#define OPTRACE_PAUSES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/likely.h"
#include "../orders/places.h"

// Zero in a forked child, which pauses nowhere.
typedef struct pauses pauses;
typedef enum { pauses_nowhere, pauses_planned, pauses_by_chance } pauses_kind;
__attribute__((visibility("hidden"))) extern _Atomic uint32_t *_Atomic pauses_wanted;

static inline pauses_kind pauses_are_wanted(void) {
  _Atomic uint32_t *wanted = atomic_load_explicit(&pauses_wanted, memory_order_acquire);
  return likely(!wanted) ? pauses_nowhere : (pauses_kind)atomic_load_explicit(wanted, memory_order_relaxed);
}

// From now on, as the text says (plan.h), once orders are recorded. Null, or why not.
const char *pauses_begin(const char *text);

// Before the thread takes or waits for something, what it is to wait for when all sides are there.
void pauses_before_taking(uint64_t object, uint8_t kind, place at);
// By chance: before the thread lets another one go on; when work begins or goes on, by its number.
void pauses_at(place at);
enum { pauses_begins, pauses_resumed };
void pauses_of_work(uint32_t number, uint32_t what);

static inline void pauses_before(uint64_t object, uint8_t kind, place at) {
  if (unlikely(pauses_are_wanted())) pauses_before_taking(object, kind, at);
}
static inline void pauses_before_signal(place at) {
  if (unlikely(pauses_are_wanted() == pauses_by_chance)) pauses_at(at);
}
static inline void pauses_before_work(uint32_t number, uint32_t what) {
  if (unlikely(pauses_are_wanted() == pauses_by_chance)) pauses_of_work(number, what);
}

#endif
