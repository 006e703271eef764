// Samples where the program's threads use processor time.
#ifndef OPTRACE_PROFILE_H
#define OPTRACE_PROFILE_H

#include "../storage/recorder.h"

// A source of the flusher (see life/sources.h): writes records for the samples that were taken, before the rings are full.
bool profile_drain(optrace_recorder *recorder, flusher_beat beat);
uint64_t profile_due(optrace_recorder *recorder, uint64_t now);

// Writes what was sampled so far, of all recorders: the caller is about to unload a library, whose code could not be named any more.
// Waits for another thread that does this, but not for long.
void profile_drain_all(void);

// Writes the last samples and ends sampling. Called before the recorder stops, on any thread.
void profile_stop(optrace_recorder *recorder);

#endif
