// Samples where the program allocates memory, and watches what becomes of the sampled blocks.
#ifndef OPTRACE_SAMPLED_MEMORY_H
#define OPTRACE_SAMPLED_MEMORY_H

#include "../storage/recorder.h"

// Begins to sample for a recorder; calls are heard once their imports are hooked (memory/hooks.h). Null, or the reason why not, which the trace
// says, too.
const char *memory_begin(optrace_recorder *recorder, uint64_t interval);

// A source of the flusher (see life/sources.h): writes records for what was sampled, and once a second what the process has in memory.
bool memory_drain(optrace_recorder *recorder, flusher_beat beat);
uint64_t memory_due(optrace_recorder *recorder, uint64_t now);
// Writes the last samples and ends sampling. Called before the recorder stops, on any thread.
void memory_stop(optrace_recorder *recorder);
// Whether the recorder samples.
bool memory_is_sampled(const optrace_recorder *recorder);

// Around the unloading of a library, whose code could not be named any more.
void memory_before_unload(void);
void memory_after_unload(void);

#endif
