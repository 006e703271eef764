// Where a task stands that is being suspended on this thread, and what for. The runtime keeps both in private places.
#ifndef OPTRACE_SUSPENSION_H
#define OPTRACE_SUSPENSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../storage/recorder.h"

typedef struct {
  uint32_t reason;       // `suspended_…`; unknown where the places do not fit.
  const void *awaited;   // The task, where it waits for one.
  uint32_t stack;        // The functions that wait, as a stack; 0: not wanted, or not known.
} task_suspension;

// No lock but for a stack at first sight. The first suspensions of a process are looked at with care, by system calls, to learn
// whether the places fit.
task_suspension task_suspension_of(optrace_recorder *recorder, const void *task);

// How many were read with care and did fit; once one did not: none is ever read again.
typedef struct {
  _Atomic uint32_t proven;
} task_proof;

enum { most_waiting_functions = 32 };
typedef struct {
  uint32_t reason;
  const void *awaited;
  size_t count;
  uint64_t pcs[most_waiting_functions + 1];  // Where the functions go on, and a byte; innermost first.
} task_reading;

// False: the places do not fit, and `reason` is unknown.
bool task_read(task_proof *proof, const void *task, bool wants_functions, task_reading *out);

#endif
