// Rests: chunks with room that no thread writes to. Their threads have ended, or have not recorded anything for a while. The next thread
// that needs a chunk continues one of them. The caller holds the recorder's `lock`.
#ifndef OPTRACE_RESTS_H
#define OPTRACE_RESTS_H

#include "recorder.h"

// Adds a chunk whose last record has these ticks. False: memory is out.
bool rests_add(optrace_recorder *recorder, chunk_header *chunk, uint64_t last_ticks);
// Takes the chunk that was written last among the newest ones with room for so many bytes of records. Null: there is none.
// `last_ticks`: the ticks of its last record.
chunk_header *rests_take(optrace_recorder *recorder, uint32_t bytes, uint64_t *last_ticks);
// Takes the chunk whose last record is the oldest.
chunk_header *rests_take_oldest(optrace_recorder *recorder, uint64_t *last_ticks);
void rests_discard(optrace_recorder *recorder);

#endif
