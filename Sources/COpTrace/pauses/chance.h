// Which threads pause where, by chance: a few of all places where threads meet, and there a few times. The same seed chooses the same.
#ifndef OPTRACE_PAUSES_CHANCE_H
#define OPTRACE_PAUSES_CHANCE_H

#include <stdatomic.h>
#include <stdint.h>

#include "../orders/places.h"

// How often somebody was at a place. Zero at first.
enum { chance_places = 4096 };
typedef struct {
  struct {
    _Atomic uint64_t place;  // 0: free.
    _Atomic uint32_t visits;
  } entry[chance_places];
} chance;

// Stands for a call in the program's code, wherever it is loaded.
uint64_t chance_place(place at);
// Stands for work by its number in the trace. `what`: another number for each thing that happens to it.
uint64_t chance_work(uint32_t number, uint32_t what);
// How many milliseconds to pause at this place now; 0: not at all.
uint32_t chance_pause(chance *of, uint64_t seed, uint64_t place);

#endif
