// Turns faults inside the file's mappings into the end of the recording, not of the program.
#ifndef OPTRACE_GUARD_H
#define OPTRACE_GUARD_H

#include "COpTrace.h"

// The number of a slot; -1: none is left.
int guard_add(optrace_recorder *recorder, const void *base, uint64_t size);
void guard_remove(int slot);

#endif
