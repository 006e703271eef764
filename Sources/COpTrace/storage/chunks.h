// Handing out and closing chunks, in a growing file and in a ring. The caller holds the recorder's `lock`.
#ifndef OPTRACE_CHUNKS_H
#define OPTRACE_CHUNKS_H

#include "recorder.h"

// Null: there is no room.
chunk_header *chunk_take(optrace_recorder *recorder, uint32_t bytes, uint32_t kind, uint32_t thread, uint64_t ticks);
void chunk_retire(optrace_recorder *recorder, chunk_header *chunk);

#endif
