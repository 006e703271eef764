// Operation queues: their numbers, and what is said of them.
#ifndef OPTRACE_DESCRIBE_QUEUES_H
#define OPTRACE_DESCRIBE_QUEUES_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// The queue's number in the trace of everything; at first sight it is described. If the recorder was replaced, the queue moves to
// the new one. 0: nothing is recorded.
uint32_t queue_number(void *queue, optrace_recorder **recorder);
// Whether a `DispatchQueue` is the main one.
bool is_main_queue(const void *dispatch_queue);
// Finds out how main queues are recognised. Null, or why they are not.
const char *queues_prove(void);
#endif

#endif
