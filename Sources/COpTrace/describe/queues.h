// Numbers and describes operation queues.
#ifndef OPTRACE_DESCRIBE_QUEUES_H
#define OPTRACE_DESCRIBE_QUEUES_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Returns the queue's number in the trace of the recorder that watches everything. Describes the queue if it is new. If the recorder was
// replaced, moves the queue to the new one. 0: nothing is recorded.
uint32_t queue_number(void *queue, optrace_recorder **recorder);
// True if a `DispatchQueue` is the main queue.
bool is_main_queue(const void *dispatch_queue);
// Finds the label and the offset that `is_main_queue` needs. Null, or why main queues cannot be recognised.
const char *queues_prove(void);
#endif

#endif
