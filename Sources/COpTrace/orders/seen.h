// What was seen: two hash tables and a list, which never move, and which any number of threads write without a lock. The flusher reads the
// list (report.h).
#ifndef OPTRACE_SEEN_H
#define OPTRACE_SEEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The numbers in records have 16 bits.
enum { seen_most_ways = 0xFFFF, seen_most_sightings = 1 << 17, seen_most_strands = 4 };

// A way: something that is held or wanted, and all that is held besides.
typedef struct {
  _Atomic uint64_t way;      // A hash of all of it; 0: free.
  _Atomic uint32_t strand;   // Who went it last, of those that are recorded.
  _Atomic uint16_t number;   // In the trace; 0: it is not recorded.
  _Atomic uint16_t strands;  // How many are recorded.
} seen_way;

// A way that somebody went, as it is written.
typedef struct {
  _Atomic bool is_complete;
  bool is_again;  // The way itself is written already.
  uint8_t kind, how;
  uint16_t number, outer;
  uint32_t of;
  uint64_t object;
  uint32_t work;    // 0: none.
  uint32_t thread;  // Its number in the trace; 0: it has none yet.
  uint32_t tid;
  uint32_t stack;   // Its number among the stacks of orders.
  uint64_t ticks;
} seen_sighting;

typedef struct {
  _Atomic uint32_t lost, alike, moved;
} seen_losses;
extern seen_losses seen_lost;

// False: memory is out. Forgets all that was seen before.
bool seen_prepare(void);

// Null: it was not seen yet.
seen_way *seen_find(uint64_t way);
// Takes a place for a way that was not seen, without a number. Null: there is no room, which is counted.
seen_way *seen_add(uint64_t way);
// The way's number; 0: there is none left, which is counted. `is_new`: this call has given it one.
uint16_t seen_number(seen_way *way, bool *is_new);
// Counts how often it was asked for these places, and says whether that is not too often.
bool seen_is_rare(uint64_t places);
// Nothing at these places is to be recorded: from now on they are not rare, and not counted either.
void seen_hide(uint64_t places);
// The number of the object that is at this address now, from 1. 0: there is no room, which is counted.
uint32_t seen_life(uint64_t address);
// The object at this address is gone, or a new one is made there.
// False: nobody has asked for it.
bool seen_life_ends(uint64_t address);
// Whether the address was ever asked for by `seen_life`, and what is there has not ended.
bool seen_is_alive(uint64_t address);

// A new entry of the list, which counts once `is_complete` is set. Null: there is no room, which is counted.
seen_sighting *seen_sighting_add(void);
// The entry with an index; null: there is none yet.
seen_sighting *seen_sighting_at(uint32_t index);

#endif
