// Faults inside the file's mappings end the recording and not the program.
#ifndef OPTRACE_GUARD_H
#define OPTRACE_GUARD_H

#include "COpTrace.h"

// A slot; -1 where there is none left.
int guard_add(optrace_recorder *recorder, const void *base, uint64_t size);
void guard_remove(int slot);

#endif
