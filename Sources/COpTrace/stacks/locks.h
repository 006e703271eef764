// Finds out what a sleeping thread waits for, and which thread holds the lock.
#ifndef OPTRACE_LOCKS_H
#define OPTRACE_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

typedef struct {
  sleep_kind kind;
  uint64_t lock;        // The lock's address, or that of the futex; 0: none.
  uint32_t owner;       // The thread that holds it (its system id); 0: nobody, or not known.
  bool owner_ended;     // That thread has ended.
  bool timed;           // The wait has a timeout.
  const char *call;     // The system call's name; null: not in the list of calls.h.
} sleep_reason;

// Learns from test locks how this C library stores the owner. Until then, and if the layout is not as expected, no owners are reported.
// Needed once; cheap.
void locks_prepare(void);
// The system id of the thread that has a mutex, or a reader-writer lock for writing; 0: nobody, or not known.
uint32_t locks_mutex_owner(const void *lock);
uint32_t locks_writer(const void *lock);
// The owner of a mutex at an address where there may be none any more; 0: nobody. False: it cannot be read, or is not known.
bool locks_find_owner(uint64_t lock, uint32_t *owner);
// What a thread waits for in this system call with these arguments (see threads.h). Reads the lock twice, and reports an owner only if
// both reads agree. Takes no lock and allocates nothing; makes some system calls.
sleep_reason locks_explain(int32_t call, const uint64_t arguments[6]);

#endif
