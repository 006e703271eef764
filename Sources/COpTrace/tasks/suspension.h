// For a task that is being suspended on this thread: what it waits for, and where it will resume. The runtime keeps both at private
// offsets.
#ifndef OPTRACE_SUSPENSION_H
#define OPTRACE_SUSPENSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../storage/recorder.h"
#include "COpTraceLayouts.h"

typedef struct {
  uint32_t reason;       // `suspended_…`; `suspended_unknown` if the runtime has another layout.
  const void *awaited;   // The task that it waits for, if it waits for a task.
  uint32_t stack;        // The async functions that wait, as a stack; 0: not wanted, or not known.
} task_suspension;

// Finds the runtime's own code. Call it before the first suspension. `layout`: of tasks; null: not known, and then nothing is read.
void suspension_prepare(const optrace_task_layout *layout);

// Takes a lock only for a new stack. The first suspensions of a process are read carefully, with system calls, to verify the layout.
task_suspension task_suspension_of(optrace_recorder *recorder, const void *task);

typedef struct {
  const optrace_task_layout *layout;  // Null: not known.
  // How many suspensions were read carefully and had this layout. After one that had not, no more are read.
  _Atomic uint32_t proven;
} task_proof;

enum { most_waiting_functions = 32 };
typedef struct {
  uint32_t reason;
  const void *awaited;
  size_t count;
  uint64_t pcs[most_waiting_functions + 1];  // The addresses where the functions resume, plus one byte; innermost first.
} task_reading;

// False: the layout is not the expected one, and `reason` is `suspended_unknown`.
bool task_read(task_proof *proof, const void *task, bool wants_functions, task_reading *out);

#endif
