// Records the span in which work is submitted: the test of a test framework that runs on the submitting thread or task.
#ifndef OPTRACE_WITHIN_H
#define OPTRACE_WITHIN_H

#include "COpTrace.h"

// From now on `span` is called on the submitting thread for each piece of work that is submitted. It returns the number of the span
// that the thread or its task is in; 0: none.
void within_set_span(optrace_recorder *recorder, uint32_t (*span)(void));

#endif
