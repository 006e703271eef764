// Samples of where the program's threads use processor time.
#ifndef OPTRACE_PROFILE_H
#define OPTRACE_PROFILE_H

#include "../storage/recorder.h"

// All called by the flusher, without the recorder's lock.

// Nanoseconds until the rings should be emptied again; UINT64_MAX: never.
uint64_t profile_pause(optrace_recorder *recorder);
// Writes down what was sampled. Whether anything was.
bool profile_drain(optrace_recorder *recorder);
// Covers threads that existed already. Once, at first.
void profile_cover_others(optrace_recorder *recorder);

// Ends sampling, with the last samples. Before the recorder stops; on any thread.
void profile_stop(optrace_recorder *recorder);

#endif
