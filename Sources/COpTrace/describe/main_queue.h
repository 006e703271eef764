// Recognises the main queue among Swift's objects of dispatch queues.
#ifndef OPTRACE_MAIN_QUEUE_H
#define OPTRACE_MAIN_QUEUE_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// Whether this is the main queue; null is not.
bool is_main_queue(const void *dispatch_queue);
// Verifies how it is recognised. Null, or why it is not.
const char *main_queue_prove(void);
#endif

#endif
