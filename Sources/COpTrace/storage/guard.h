// A fault inside the file's mappings ends the recording, and not the program.
#ifndef OPTRACE_GUARD_H
#define OPTRACE_GUARD_H

#include "COpTrace.h"

// Guards a mapping. Returns the number of a slot, for `guard_remove`; -1: none is left.
int guard_add(optrace_recorder *recorder, const void *base, uint64_t size);
void guard_remove(int slot);

#endif
