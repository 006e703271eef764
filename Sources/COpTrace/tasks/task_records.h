// Writes the records of Swift tasks.
#ifndef OPTRACE_TASK_RECORDS_H
#define OPTRACE_TASK_RECORDS_H

#include "../operations/frames.h"
#include "../stacks/unwind.h"
#include "table.h"

// How a task was created, with the trace format's numbers.
enum { task_unstructured = 0, task_detached = 1, task_in_group = 2, task_async_let = 3 };
// Why it stopped running, with the trace format's numbers.
enum { suspended_unknown = 0, suspended_for_task = 1, suspended_for_continuation = 2, suspended_for_group = 3,
       suspended_for_executor = 4, suspended_asleep = 5 };

// How its continuation was resumed, with the trace format's numbers.
enum { resumed_with_value = 0, resumed_throwing = 1, resumed_with_error = 2 };

// What is known of a task before it is created.
typedef struct {
  uint32_t by;      // The work that creates it.
  uint32_t runs, at;  // The code that it runs and its creation site, as stacks.
} task_making;

// From now on tasks are recorded; see `optrace_record_tasks`.
void record_tasks(optrace_recorder *recorder);
// The recorder that records tasks; null: none at the moment.
optrace_recorder *task_recorder(void);
// A number for a new task. If none is left, the task is not recorded.
uint32_t task_next_number(optrace_recorder *recorder);

// Collects what is known before a task is created. `code`: the function that it runs and, if that is a thunk, the functions that it calls
// in turn; one to `most_task_codes`. `here`: the hook's own `optrace_here()`.
enum { most_task_codes = 4 };
task_making task_is_made(optrace_recorder *recorder, const uint64_t *code, size_t count, optrace_start here);
void task_created(optrace_recorder *recorder, uint32_t number, const task_making *making, uint32_t how, uint32_t priority,
                  bool is_enqueued, bool is_main);
void task_named(optrace_recorder *recorder, uint32_t number, const char *name);
// `is_main`: it will run on the main thread.
void task_enqueued(optrace_recorder *recorder, uint32_t number, bool is_main);
// The task is enqueued on an actor, with this number and class.
void task_queued(optrace_recorder *recorder, uint32_t number, uint32_t actor, uint32_t class_id);
// The continuation that the task waits for, or is about to wait for, is resumed.
void task_resumed(optrace_recorder *recorder, uint32_t number, uint32_t how);
void task_runs(optrace_recorder *recorder, uint32_t number);
void task_suspended(optrace_recorder *recorder, uint32_t number, uint32_t reason, uint32_t awaited, uint32_t stack);
void task_completed(optrace_recorder *recorder, uint32_t number);
void task_cancelled(optrace_recorder *recorder, uint32_t number);

#endif
