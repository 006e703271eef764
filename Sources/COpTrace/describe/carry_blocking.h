// What a flight recorder keeps of waits on semaphores, groups, dispatch queues and conditions, so that open waits outlive their
// chunk and closed ones do not come back. Under the recorder's lock, as everything of the carry.
#ifndef OPTRACE_CARRY_BLOCKING_H
#define OPTRACE_CARRY_BLOCKING_H

#include <stdbool.h>

#include "numbers.h"
#include "records.h"

// All zeros: nothing is known yet.
typedef struct {
  // By object and thread: how many beginnings of this wait are in the ring; the ticks of its latest end.
  number_map begun, ended;
  // The object that each thread last recorded a wait on itself, until its end comes.
  number_map own;
  // The ticks of the latest beginning that was scanned. A beginning in a chunk that is still being written is later.
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
// Behind each chunk: forgets ends whose beginnings are all gone.
void blocking_scanned(blocking_carry *all);

// Carrying. Whether this beginning has no end. One that has is forgotten.
bool blocking_keeps_beginning(blocking_carry *all, const chunk_record *record);
bool blocking_keeps_end(const blocking_carry *all, const chunk_record *record);
bool blocking_keeps_name(const blocking_carry *all, const chunk_record *record);

#endif
