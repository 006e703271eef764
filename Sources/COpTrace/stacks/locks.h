// What a sleeping thread sleeps in, and who has the lock that it waits for.
#ifndef OPTRACE_LOCKS_H
#define OPTRACE_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

typedef struct {
  sleep_kind kind;
  uint64_t lock;        // The lock's address, or that of the futex; 0: none.
  uint32_t owner;       // The thread that has it (its system id); 0: nobody, or not known.
  bool owner_ended;     // There is no such thread any more.
  bool timed;           // It goes on by itself after a time.
  const char *call;     // The system call's name; null: not among the usual ones.
} sleep_reason;

// Learns from locks of our own how this C library keeps owners; until then, and where it does not fit, none are told. Once; cheap.
void locks_prepare(void);
// What a thread waits for that sleeps in this system call, with these arguments (see threads.h). Reads the lock twice: an owner is
// told when it was the same. No lock, no memory, some system calls.
sleep_reason locks_explain(int32_t call, const uint64_t arguments[6]);

#endif
