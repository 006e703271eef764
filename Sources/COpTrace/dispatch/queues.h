// Dispatch queues, as a trace names them.
#ifndef OPTRACE_DISPATCH_QUEUES_H
#define OPTRACE_DISPATCH_QUEUES_H

#include "../storage/recorder.h"

// Finds libdispatch's functions, and learns from queues of our own where a queue keeps its width and target. Once.
void dispatch_queues_prepare(void);
// From here on queues are described in this recorder's trace.
void dispatch_queues_begin(optrace_recorder *recorder);
// The number of a queue in the trace; 0: there is no room. Describes the queue the first time.
uint32_t dispatch_queue_number(optrace_recorder *recorder, void *queue);
// A queue is created at this address.
void dispatch_queue_is_new(const void *queue);

#endif
