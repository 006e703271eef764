// The span in which work is submitted: a test framework's test that runs on the submitting thread or task.
#ifndef OPTRACE_WITHIN_H
#define OPTRACE_WITHIN_H

#include "COpTrace.h"

// `span` returns the number of the span that the calling thread or its task is in; 0: none. From here on it is called for each
// piece of work that is submitted, on any thread.
void within_set_span(optrace_recorder *recorder, uint32_t (*span)(void));

#endif
