// What a task waits for that is being suspended on this thread, and where it will resume. The runtime keeps both at private
// offsets.
#ifndef OPTRACE_SUSPENSION_H
#define OPTRACE_SUSPENSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../storage/recorder.h"

typedef struct {
  uint32_t reason;       // `suspended_…`; unknown if the layout is another.
  const void *awaited;   // The task, if it waits for one.
  uint32_t stack;        // The functions that wait, as a stack; 0: not wanted, or not known.
} task_suspension;

// Finds the runtime's own code, once, before the first suspension.
void suspension_prepare(void);

// Takes no lock, except for a new stack. The first suspensions of a process are read carefully, by system calls, to learn whether
// the layout fits.
task_suspension task_suspension_of(optrace_recorder *recorder, const void *task);

// How many were read carefully and did fit. Once one did not, no more are read.
typedef struct {
  _Atomic uint32_t proven;
} task_proof;

enum { most_waiting_functions = 32 };
typedef struct {
  uint32_t reason;
  const void *awaited;
  size_t count;
  uint64_t pcs[most_waiting_functions + 1];  // Where the functions resume, plus one byte; innermost first.
} task_reading;

// False: the layout does not fit, and `reason` is unknown.
bool task_read(task_proof *proof, const void *task, bool wants_functions, task_reading *out);

#endif
