// What a flight recorder carries forward of waits on semaphores, groups, dispatch queues and conditions: open waits must survive when
// their chunk is recycled, and waits that have ended must not seem open again. Guarded by the recorder's lock, like all of the carry.
#ifndef OPTRACE_CARRY_BLOCKING_H
#define OPTRACE_CARRY_BLOCKING_H

#include <stdbool.h>

#include "numbers.h"
#include "records.h"

// All zeros: nothing is known yet.
typedef struct {
  // By object and thread: how many beginnings of such a wait are in the ring; the ticks of its latest end.
  number_map begun, ended;
  // For each thread: the object of the last wait that it recorded itself, until the end of that wait.
  number_map own;
  // The ticks of the latest beginning that was scanned. Beginnings in chunks that are still being written are later.
  uint64_t last_reported;
  // The ticks of the latest name of each address.
  number_map names;
} blocking_carry;
void blocking_clear(blocking_carry *all);

// Address and kind of the object of a record `blocked`, `unblocked` or `signalled`.
uint64_t blocking_object(const chunk_record *record);

// Scanning. False: memory is out.
bool blocking_blocked(blocking_carry *all, const chunk_record *record);
bool blocking_unblocked(blocking_carry *all, const chunk_record *record);
bool blocking_named(blocking_carry *all, const chunk_record *record);
// Called after each chunk: forgets ends whose beginnings have all left the ring.
void blocking_scanned(blocking_carry *all);

// Carrying. Whether a beginning must be carried, because it has no end. One that has an end is forgotten.
bool blocking_keeps_beginning(blocking_carry *all, const chunk_record *record);
bool blocking_keeps_end(const blocking_carry *all, const chunk_record *record);
bool blocking_keeps_name(const blocking_carry *all, const chunk_record *record);

#endif
