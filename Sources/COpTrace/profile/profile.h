// Samples where the program's threads use processor time.
#ifndef OPTRACE_PROFILE_H
#define OPTRACE_PROFILE_H

#include "../storage/recorder.h"

// These three are called by the flusher, without the recorder's lock.

// Nanoseconds until the rings should be emptied again; UINT64_MAX: never.
uint64_t profile_pause(optrace_recorder *recorder);
// Writes records for the samples that were taken. True if anything was written.
bool profile_drain(optrace_recorder *recorder);
// Begins to sample threads that already existed. With kernel events it does this once; with timers it also adds new threads each time.
void profile_cover_others(optrace_recorder *recorder);

// Writes what was sampled so far, of all recorders: the caller is about to unload a library, whose code could not be named any more.
// Waits for another thread that does this, but not for long.
void profile_drain_all(void);

// Writes the last samples and ends sampling. Called before the recorder stops, on any thread.
void profile_stop(optrace_recorder *recorder);

#endif
