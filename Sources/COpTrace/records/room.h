// Room for records.
#ifndef OPTRACE_ROOM_H
#define OPTRACE_ROOM_H

#include "../storage/thread_buffer.h"

// No room, or too long since the last record. Returns where the record goes, and sets its distance in time to the last
// one; null where it goes nowhere: it is lost, and counted, or the recorder has stopped.
uint8_t *buffer_reserve_slowly(thread_buffer *buffer, uint32_t bytes, uint64_t now, uint64_t *delta);

#endif
