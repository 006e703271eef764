// Finds room for a record when the fast path cannot.
#ifndef OPTRACE_ROOM_H
#define OPTRACE_ROOM_H

#include "../storage/thread_buffer.h"

// Called when the chunk is full, or the last record is too long ago for the delta field. Returns where the record goes, and sets the
// delta. Null: the record is lost and counted, or the recorder has stopped.
uint8_t *buffer_reserve_slowly(thread_buffer *buffer, uint32_t bytes, uint64_t now, uint64_t *delta);

#endif
