// Operation queues: their numbers and descriptions.
#ifndef OPTRACE_DESCRIBE_QUEUES_H
#define OPTRACE_DESCRIBE_QUEUES_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// The queue's number in the trace of the recorder that watches everything. If the queue is new, it is described. If the recorder was
// replaced, the queue moves to the new one. 0: nothing is recorded.
uint32_t queue_number(void *queue, optrace_recorder **recorder);
// Whether a `DispatchQueue` is the main one.
bool is_main_queue(const void *dispatch_queue);
// Finds out how to recognise main queues. Null, or why that is not possible.
const char *queues_prove(void);
#endif

#endif
