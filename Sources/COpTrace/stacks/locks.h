// What a sleeping thread waits for, and who holds the lock.
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

// Learns from locks of our own how this C library stores owners. Before that, and where the layout does not fit, no owners are
// reported. Once; cheap.
void locks_prepare(void);
// What a thread waits for in this system call with these arguments (see threads.h). Reads the lock twice: an owner is reported
// only if both times agree. Takes no lock and no memory; some system calls.
sleep_reason locks_explain(int32_t call, const uint64_t arguments[6]);

#endif
