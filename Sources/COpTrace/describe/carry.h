// Decides what a flight recorder must keep when it recycles a chunk: all records of unfinished operations, of open waits and spans,
// and of existing queues. Without them the operations that hang would be missing from the trace of a hang.
#ifndef OPTRACE_CARRY_H
#define OPTRACE_CARRY_H

#include "COpTrace.h"

// Gives a flight recorder the functions that do it, and what they know. They are called under the recorder's lock, mostly on the
// flusher's thread. False: memory is out.
bool carry_prepare(optrace_options *options);

#endif
