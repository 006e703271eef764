// What each thread had used and waited at a count, and where a thread is found again in the last one.
#ifndef OPTRACE_COUNTED_H
#define OPTRACE_COUNTED_H

#include <stdint.h>

// No more threads than these are counted: reading each takes some microseconds.
enum { counted_most = 256 };

typedef struct {
  uint32_t id;              // The system's id.
  uint64_t time, delay;     // Nanoseconds on a processor, and waiting for one, since the thread began.
} counted_thread;

typedef struct {
  uint32_t count;
  counted_thread all[counted_most];
} counted_threads;

// What this thread had when it was last counted; nothing for one that is new. `next` is where the search begins, and is moved behind
// what was found: the system lists threads as they began, so that the next one asked for is there, but for those that have ended.
// Ids say nothing of that order: they begin anew when they have reached the system's largest one.
static inline counted_thread counted_before(const counted_threads *last, uint32_t *next, uint32_t id) {
  for (uint32_t step = 0; step < last->count; step++) {
    uint32_t at = (*next + step) % last->count;
    if (last->all[at].id != id) continue;
    *next = at + 1;
    return last->all[at];
  }
  return (counted_thread){.id = id};
}

#endif
