// Initialisers of globals, which Swift's runtime runs once: who runs one, and who waits for one that another thread runs.
#ifndef OPTRACE_ONCE_H
#define OPTRACE_ONCE_H

#include "../stacks/unwind.h"

// A thread that waits until the initialiser of `token` is over, in a snapshot.
typedef struct {
  uint64_t token;
  uint32_t owner;      // The system's id of the thread that runs the initialiser; 0: none does at this moment.
  uint32_t turn, slot;  // For `once_still_waits`.
  stack_start start;   // Where to walk the thread's stack from.
} once_waiter;

// Around a call that may run the initialiser or wait for it, and when the initialiser begins. Returns what the others are given; 0:
// there was no room, so nothing is known of this call.
uint32_t once_enter(const void *token, stack_start start);
void once_runs(uint32_t number);
void once_leave(uint32_t number);

// What the thread waits for; false: for no initialiser. Takes no lock. Reads the whole table.
bool once_find(uint32_t tid, once_waiter *out);
// Whether it has waited ever since: what was read meanwhile of its stack is true.
bool once_still_waits(const once_waiter *waiter);

#endif
