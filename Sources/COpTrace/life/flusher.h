// The recorder's own thread.
#ifndef OPTRACE_FLUSHER_H
#define OPTRACE_FLUSHER_H

#include "../storage/recorder.h"

// What `wake` needs; before the flusher starts, or anybody else uses it.
void flusher_prepare(optrace_recorder *recorder);
// False: there is no thread to be had.
bool flusher_start(optrace_recorder *recorder);
// What the flusher of a recorder that uses hooks does with each beat.
void flusher_set_refresh(void (*call)(void));

#endif
