// Dispatch queues, as a trace names them.
#ifndef OPTRACE_DISPATCH_QUEUES_H
#define OPTRACE_DISPATCH_QUEUES_H

#include "../storage/recorder.h"

// Finds libdispatch's functions, and learns from queues of its own where a queue keeps what is not told. Once.
void dispatch_queues_prepare(void);
// From here on queues are described in this recorder's trace.
void dispatch_queues_begin(optrace_recorder *recorder);
// The number of a queue in the trace, which is described there at first sight; 0: there is no room.
uint32_t dispatch_queue_number(optrace_recorder *recorder, void *queue);
// A queue begins its life at this address.
void dispatch_queue_is_new(const void *queue);

#endif
