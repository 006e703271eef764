// Which span submits work: the test of a framework that runs where an operation is given to a queue.
#ifndef OPTRACE_WITHIN_H
#define OPTRACE_WITHIN_H

#include "COpTrace.h"

// `span` tells the number of the span that the calling thread, or its task, is in; 0: none. Asked for each piece of work that is
// submitted from here on, by any thread.
void within_set_span(optrace_recorder *recorder, uint32_t (*span)(void));

#endif
