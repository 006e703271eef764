// A chunk of a ring that many threads share, each for its first records: a thread that records little does not need one of its own.
// A lock guards it. A thread that does not get the lock at once takes a chunk of its own.
#ifndef OPTRACE_SHARED_H
#define OPTRACE_SHARED_H

#include "../storage/recorder.h"

// Room for a record, with the lock held until `shared_end`. `delta`: of the record's time. Null: take another chunk.
uint8_t *shared_begin(thread_buffer *buffer, uint32_t bytes, uint64_t now, uint64_t *delta);
// `shared_end` releases it: `buffer_commit` calls that, once the record is published (records/buffers.h).

#endif
