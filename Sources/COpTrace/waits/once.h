// Initialisers of globals, which Swift's runtime runs once: which thread runs one, and which threads wait for it.
#ifndef OPTRACE_ONCE_H
#define OPTRACE_ONCE_H

#include "../stacks/unwind.h"

// For snapshots: a thread that waits until another thread has run the initialiser of `token`.
typedef struct {
  uint64_t token;
  uint32_t owner;      // The system's id of the thread that runs the initialiser; 0: none does at this moment.
  uint32_t turn, slot;  // Only for `once_still_waits`.
  stack_start start;   // Where to walk the thread's stack from.
} once_waiter;

// `once_enter` and `once_leave` enclose a call that may run the initialiser or wait for it; `once_runs` is called when the initialiser
// begins. The result of `once_enter` is for the other two; 0: there was no room, so this call is not noted.
uint32_t once_enter(const void *token, stack_start start);
void once_runs(uint32_t number);
void once_leave(uint32_t number);

// The initialiser that a thread waits for; false: none. Takes no lock, but reads the whole table.
bool once_find(uint32_t tid, once_waiter *out);
// Whether the thread has been waiting since `once_find`. Then what was read of its stack meanwhile is valid.
bool once_still_waits(const once_waiter *waiter);

#endif
