// Where threads are to pause, as OPTRACE_PAUSES says: at places of the program's code, or at places by chance.
//
// A place is part of a deadlock that has not happened yet: somebody is there who holds the one and wants the other. It is given by files and
// offsets in them, so that it is the same wherever the program is loaded.
#ifndef OPTRACE_PAUSES_PLAN_H
#define OPTRACE_PAUSES_PLAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../held/held.h"
#include "../orders/places.h"
#include "../orders/walk.h"

enum { plan_most_places = 64, plan_most_frames = 8, plan_most_modules = 32, plan_most_together = 16, plan_longest_name = 96 };

typedef struct {
  uint8_t module;
  uint64_t offset;
} plan_frame;

typedef struct {
  uint16_t finding;      // Whose places must meet.
  uint8_t index, count;  // Which of how many. Those of a finding are neighbours.
  uint8_t held, wanted;  // `optrace_held_…`; `held` 0: whatever it holds.
  bool is_crowd;         // So many threads at this one place fill a pool; then it is all there is of the finding.
  uint8_t frames;
  plan_frame frame[plan_most_frames];  // The innermost first.
} plan_place;

typedef struct {
  uint8_t id[32];
  uint8_t id_bytes;  // The first bytes of its build id; 0: it has none, and counts by the name of its file.
  char name[plan_longest_name];
} plan_module;

typedef struct {
  bool is_by_chance;
  uint64_t seed;
  uint32_t wait;  // How many milliseconds a thread waits for the others at most.
  uint32_t modules, places;
  plan_module module[plan_most_modules];
  plan_place place[plan_most_places];
} plan;

// Reads `chance=SEED`, or `wait=MILLISECONDS modules=MODULE/… place=FINDING:INDEX:COUNT:HELD:WANTED:MODULE+OFFSET/… place=…`. A module is a
// build id, or `=NAME`; `crowd=` instead of `place=` is a place where so many wait. False: it is none of these.
bool plan_read(plan *out, const char *text);

// The places at which the thread is that wants something of this kind, a bit for each. Walks the stack only if its call is one of them.
uint64_t plan_places_here(const plan *of, const held_stack *held, uint8_t kind, place at);

#endif
