// Sealing chunks.
#ifndef OPTRACE_SEAL_H
#define OPTRACE_SEAL_H

#include "format.h"

// Gives a chunk that nobody writes any more its checksum.
void chunk_seal(chunk_header *chunk);

#endif
