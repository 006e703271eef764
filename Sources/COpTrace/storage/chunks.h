// Handing out and closing chunks, in a growing file and in a ring. The caller holds the recorder's `lock`.
#ifndef OPTRACE_CHUNKS_H
#define OPTRACE_CHUNKS_H

#include "recorder.h"

// Null: there is no room. `is_earned`: for a thread that has just recycled a chunk of a ring. It may use what others must leave.
chunk_header *chunk_take(optrace_recorder *recorder, uint32_t bytes, uint32_t kind, uint32_t thread, uint64_t ticks, bool is_earned);
// Nobody writes to the chunk any more. `last_ticks`: those of its last record; for carried records, the present.
void chunk_retire(optrace_recorder *recorder, chunk_header *chunk, uint64_t last_ticks);
// Its thread writes no more to the chunk, but another thread may continue it.
void chunk_rest(optrace_recorder *recorder, chunk_header *chunk, uint64_t last_ticks);
// A chunk to continue, with room for so many bytes of records, and the ticks of its last record. Null: there is none.
chunk_header *chunk_continue(optrace_recorder *recorder, uint32_t bytes, uint64_t *last_ticks);

#endif
