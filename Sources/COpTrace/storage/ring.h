// The flight recorder's chunks. `lock` is held.
#ifndef OPTRACE_RING_H
#define OPTRACE_RING_H

#include "recorder.h"

// Free chunks that are kept for carried records. They take more room than in the chunks they come from: every run of records gets
// its thread and time, and a run is not split to fill a chunk.
static inline uint32_t ring_reserve(const optrace_recorder *recorder) { return recorder->ring_count / 16 + 2; }
bool ring_prepare(optrace_recorder *recorder);
bool ring_recycle(optrace_recorder *recorder);
void ring_scan(optrace_recorder *recorder);
void ring_discard(optrace_recorder *recorder);
chunk_header *ring_take(optrace_recorder *recorder);
// For carried records: takes a free chunk, and recycles nothing.
chunk_header *ring_take_free(optrace_recorder *recorder);

#endif
