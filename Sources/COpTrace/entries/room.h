// Memory that can be executed, near to given code.
#ifndef OPTRACE_ROOM_H
#define OPTRACE_ROOM_H

#include "write.h"

#if defined(OPTRACE_HAS_ENTRIES)
// Where so many bytes can be written by `write_code` and reached by a jump of 32 bits from the address, and the other way; 0:
// nowhere. The same is given again until it is kept.
uint64_t room_find(uint64_t near, size_t size);
// Keeps the first bytes of what was found last.
void room_keep(size_t size);
bool room_has(uint64_t address);
#endif

#endif
