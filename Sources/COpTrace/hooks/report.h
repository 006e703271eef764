// What hooks of operations and queues tell the describer. Objects are passed without ownership, and are alive during the call.
#ifndef OPTRACE_REPORT_H
#define OPTRACE_REPORT_H

#include "../layouts/hooks.h"
#include "COpTraceDescribe.h"

#if OPTRACE_HAS_HOOKS
// The two words of a closure.
typedef struct {
  void *function, *context;
} closure;

// ---- Operations

// An unknown operation starts, is waited for, and so on. `is_running`: it is running, and its start was not seen. Then even a known
// operation is described again, as partially seen.
void report_met(void *operation, bool is_running);
// An unknown operation is about to be freed; `deinit` has not begun.
void report_unmet(void *operation);
// `kind`: the kind of record for the change. `value`: points to the new value, of the property's Swift type.
void report_operation_change(const optrace_operation *operation, uint8_t kind, const void *value);
// Returns a completion block that records itself, and runs and owns this one; the caller owns it. Without a function: nothing is recorded.
closure report_completion(const optrace_operation *operation, closure block);

// ---- Queues, of the recorder that watches everything

// The queue's number in it; 0: it has none.
uint32_t report_queue(void *queue, optrace_recorder **core);
// The first operation, or the barrier, is in the adding that the caller ends after Foundation's own call. That call can hang in a lock
// that the same thread holds, and then the trace shows it.
optrace_adding report_add(void *queue, void *operation);
optrace_adding report_add_all(void *queue, void *operations);
// The same as for a completion block.
closure report_barrier(void *queue, closure block, optrace_adding *adding);
void report_queue_event(void *queue, uint8_t kind);
void report_queue_change(void *queue, uint8_t kind, const void *value);
void report_limit(void *queue, int64_t limit);
#endif

#endif
