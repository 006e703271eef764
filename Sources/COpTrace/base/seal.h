// Sealing chunks.
#ifndef OPTRACE_SEAL_H
#define OPTRACE_SEAL_H

#include "format.h"

// Stores the checksum of a chunk that nobody writes any more.
void chunk_seal(chunk_header *chunk);

#endif
