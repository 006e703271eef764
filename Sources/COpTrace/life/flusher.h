// The flusher: the recorder's own thread.
#ifndef OPTRACE_FLUSHER_H
#define OPTRACE_FLUSHER_H

#include "../storage/recorder.h"

// Prepares the condition `wake`. Call it before the flusher starts and before anybody uses the condition.
void flusher_prepare(optrace_recorder *recorder);
// False: no thread could be created.
bool flusher_start(optrace_recorder *recorder);
// Ends the flusher, until `flusher_resume`. False: there is none. Only while no other thread of the program runs.
bool flusher_pause(optrace_recorder *recorder);
void flusher_resume(optrace_recorder *recorder);

#endif
