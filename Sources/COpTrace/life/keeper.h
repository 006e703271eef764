// The recorder's own thread.
#ifndef OPTRACE_KEEPER_H
#define OPTRACE_KEEPER_H

#include "../storage/recorder.h"

// What `wake` needs; before the keeper starts, or anybody else uses it.
void keeper_prepare(optrace_recorder *recorder);
// False: there is no thread to be had.
bool keeper_start(optrace_recorder *recorder);
// What the keeper of a recorder that uses hooks does with each beat.
void keeper_set_refresh(void (*call)(void));

#endif
