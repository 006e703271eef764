// The flusher: the recorder's own thread.
#ifndef OPTRACE_FLUSHER_H
#define OPTRACE_FLUSHER_H

#include "../storage/recorder.h"

// Prepares the condition `wake`. Call it before the flusher starts and before anybody uses the condition.
void flusher_prepare(optrace_recorder *recorder);
// False: no thread could be created.
bool flusher_start(optrace_recorder *recorder);
// Sets a function that the flusher calls with each heartbeat, in recorders that use hooks.
void flusher_set_refresh(void (*call)(void));

#endif
