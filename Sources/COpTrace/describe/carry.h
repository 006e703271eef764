// Decides what a flight recorder must keep when it recycles a chunk: all records of unfinished operations, of open waits and spans,
// and of existing queues. Without them the operations that hang would be missing from the trace of a hang. For recordings that are
// begun from C; RingCarry.swift is the same for those of the library.
#ifndef OPTRACE_CARRY_H
#define OPTRACE_CARRY_H

#include "COpTrace.h"

// One recorder of a process. Before a chunk of it can be recycled.
void carry_begin(optrace_recorder *core);
// As `optrace_options` has them; the context is not used. Called under the recorder's lock, mostly on the flusher's thread. The
// first sees each chunk once, when its thread is done with it; the second sees a chunk before it is recycled.
void carry_scan(void *context, const uint8_t *chunk, uint32_t bytes);
void carry_keep(void *context, const uint8_t *chunk, uint32_t bytes);

#endif
