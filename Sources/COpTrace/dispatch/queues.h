// The numbers and descriptions of dispatch queues in a trace.
#ifndef OPTRACE_DISPATCH_QUEUES_H
#define OPTRACE_DISPATCH_QUEUES_H

#include "../storage/recorder.h"

// Finds libdispatch's functions, and learns from test queues at which offsets a queue stores its width and target. Once.
void dispatch_queues_prepare(void);
// From now on queues are described in this recorder's trace.
void dispatch_queues_begin(optrace_recorder *recorder);
// The number of a queue in the trace; 0: there is no room. The first call for a queue describes it.
uint32_t dispatch_queue_number(optrace_recorder *recorder, void *queue);
// Call it when a queue is created at this address: an older queue there no longer exists.
void dispatch_queue_is_new(const void *queue);

#endif
