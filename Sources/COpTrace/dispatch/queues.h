// The numbers and descriptions of dispatch queues in a trace.
#ifndef OPTRACE_DISPATCH_QUEUES_H
#define OPTRACE_DISPATCH_QUEUES_H

#include "../storage/recorder.h"

// Finds libdispatch's functions, and where a queue stores its width and target. Once.
void dispatch_queues_prepare(void);
// From now on queues are described in this recorder's trace.
void dispatch_queues_begin(optrace_recorder *recorder);
enum { dispatch_queue_not_ours = UINT32_MAX };
// The number of a queue in the trace; 0: there is no room; `dispatch_queue_not_ours`: a test framework's, whose blocks are not recorded. The
// first call for a queue describes it.
uint32_t dispatch_queue_number(optrace_recorder *recorder, void *queue);
// What a queue with a number lets run at once: one block, several of its own, or whatever the system allows. Where its width is not known,
// several.
typedef enum { dispatch_queue_serial, dispatch_queue_concurrent, dispatch_queue_global } dispatch_queue_shape;
dispatch_queue_shape dispatch_queue_shape_of(uint32_t number);
// Call it when a queue is created at this address: an older queue there no longer exists.
void dispatch_queue_is_new(const void *queue);

// For a flight recorder, which has no room for the descriptions of all queues that there ever were. Only one thread at a time calls
// these.

// Whether a queue that may still exist has this number.
bool dispatch_queue_is_known(uint32_t number);
// No record refers to this number any more, and its description is gone: if the queue is used again, it gets another number, and another
// queue may get this one.
void dispatch_queue_forget(uint32_t number);

#endif
