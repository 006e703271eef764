// Executable memory near given code.
#ifndef OPTRACE_ROOM_H
#define OPTRACE_ROOM_H

#include "write.h"

#if defined(OPTRACE_HAS_ENTRIES)
// Finds room for `size` bytes that `write_code` can write, and that is within reach of a relative jump from and to the address; 0: there
// is none. Returns the same room again until it is kept.
uint64_t room_find(uint64_t near, size_t size);
// Keeps the first bytes of the room that was found last, so that it is not handed out again.
void room_keep(size_t size);
bool room_has(uint64_t address);
#endif

#endif
