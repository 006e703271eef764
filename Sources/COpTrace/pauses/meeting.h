// Threads that pause at the places of a plan until all sides of a deadlock are there: each wants what the next one holds.
#ifndef OPTRACE_PAUSES_MEETING_H
#define OPTRACE_PAUSES_MEETING_H

#include "plan.h"

// So many threads may wait at once; further ones do not pause.
enum { meeting_most = 64 };

typedef struct {
  _Atomic uint32_t state;  // 0: free.
  uint64_t places;         // Where it is, a bit for each place of the plan.
  uint64_t object;         // What it wants.
  uint32_t count;
  uint8_t kind;
  uint8_t held_kind[held_most];
  uint64_t held[held_most];
} meeting_seat;

// Zero at first.
typedef struct {
  _Atomic uint32_t arrivals;
  meeting_seat seat[meeting_most];
} meeting;

// Waits for the others, at most as long as the plan says. The finding whose sides are all there now, of whom this is one; 0: they did not
// come.
uint32_t meeting_wait(meeting *in, const plan *of, uint64_t places, const held_stack *held, uint64_t object, uint8_t kind);

#endif
