// What executes on this thread; the rest stands in COpTrace.h.
#ifndef OPTRACE_FRAMES_H
#define OPTRACE_FRAMES_H

#include "COpTrace.h"

// The operation whose waits are recorded: the innermost of this thread, unless a wait that is recorded as one on an
// operation or a queue is going on.
optrace_operation *frame_that_blocks(void);

#endif
