// What executes on this thread; the rest stands in COpTrace.h.
#ifndef OPTRACE_FRAMES_H
#define OPTRACE_FRAMES_H

#include "COpTrace.h"

// An operation or a block of a dispatch queue, by its number in a trace. Without a recorder: none.
typedef struct {
  optrace_recorder *recorder;
  uint32_t number;
} work;

// What this thread executes: the innermost one.
work frame_work(void);
// The same, as whose the thread's waits are recorded: nothing while a wait goes on that is recorded as one for an operation or
// a queue.
work frame_that_blocks(void);
// For `optrace_frame_pop`: this thread executes something that is no operation of its own.
void frame_push_work(work block);

#endif
