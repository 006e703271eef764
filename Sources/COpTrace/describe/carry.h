// Decides which records a flight recorder must carry forward when it recycles a chunk: all records of unfinished operations, of open
// waits and spans, and of existing queues. Without them a trace of a hang would not contain the operations that hang.
#ifndef OPTRACE_CARRY_H
#define OPTRACE_CARRY_H

#include "COpTrace.h"

// Sets these functions and their context in a flight recorder's options. They are called under the recorder's lock, mostly by the flusher.
// False: memory is out.
bool carry_prepare(optrace_options *options);

#endif
