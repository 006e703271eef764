// The flight recorder's chunks. The caller holds the recorder's `lock`.
#ifndef OPTRACE_RING_H
#define OPTRACE_RING_H

#include "recorder.h"

// How many free chunks are kept in reserve for carried records. These need more room than in their old chunks, because every run of
// records also stores its thread and time, and a run is never split to fill a chunk.
static inline uint32_t ring_reserve(const optrace_recorder *recorder) { return recorder->ring_count / 16 + 2; }
bool ring_prepare(optrace_recorder *recorder);
bool ring_recycle(optrace_recorder *recorder);
void ring_scan(optrace_recorder *recorder);
void ring_discard(optrace_recorder *recorder);
chunk_header *ring_take(optrace_recorder *recorder);
// For carried records: takes a free chunk, and recycles nothing.
chunk_header *ring_take_free(optrace_recorder *recorder);

#endif
