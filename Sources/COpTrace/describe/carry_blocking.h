// What a flight recorder keeps of waits on semaphores, groups, dispatch queues and conditions, so that open waits outlive their
// chunk and closed ones do not come back. Under the recorder's lock, as everything of the carry.
#ifndef OPTRACE_CARRY_BLOCKING_H
#define OPTRACE_CARRY_BLOCKING_H

#include <stdbool.h>

#include "records.h"

// Address and kind of the object of a record `blocked`, `unblocked` or `signalled`.
uint64_t blocking_object(const chunk_record *record);

// Scanning. False: memory is out.
bool blocking_blocked(const chunk_record *record);
bool blocking_unblocked(const chunk_record *record);
bool blocking_named(const chunk_record *record);
// Behind each chunk: forgets ends whose beginnings are all gone.
void blocking_scanned(void);

// Carrying. Whether this beginning has no end. One that has is forgotten.
bool blocking_keeps_beginning(const chunk_record *record);
bool blocking_keeps_end(const chunk_record *record);
bool blocking_keeps_name(const chunk_record *record);

#endif
