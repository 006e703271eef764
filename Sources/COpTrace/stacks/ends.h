// Who has the other end of a pipe or a socket, holds the lock of a file, or is the child that a thread waits for. A thread that waits for
// another process may be woken at any time; one that waits for its own process may wait for itself.
#ifndef OPTRACE_ENDS_H
#define OPTRACE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locks.h"

typedef struct {
  int32_t call;
  const uint64_t *arguments;
  sleep_reason *reason;
} sleeping_call;

// For threads of a process that sleep without a time limit in calls that wait for descriptors or for children: adds to `lock` of their
// reason what `EventEnd` of the format says, and the process. Nothing is added where it is not known, as for a socket of another process
// that is read from, which may have a time limit. Reads /proc/PID/fd of the processes that this one may look at, once for all calls, if
// there is a pipe or a socket to ask for; of 2,048 processes with 16,384 descriptors at most. Allocates memory.
void ends_explain(const sleeping_call *calls, size_t count);

// Whether a reason says anything of that, and takes it out again.
bool ends_are_known(const sleep_reason *reason);
void ends_forget(sleep_reason *reason);

#endif
