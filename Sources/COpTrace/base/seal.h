// Seals chunks.
#ifndef OPTRACE_SEAL_H
#define OPTRACE_SEAL_H

#include "format.h"

// Stores the checksum of a chunk that nobody writes any more, and marks the chunk as sealed.
void chunk_seal(chunk_header *chunk);

#endif
