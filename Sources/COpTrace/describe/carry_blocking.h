// Decides which records of waits on semaphores, groups, dispatch queues and conditions a flight recorder carries forward. Open waits
// must survive when their chunk is recycled, and waits that have ended must not seem open again. The recorder's lock guards this data.
#ifndef OPTRACE_CARRY_BLOCKING_H
#define OPTRACE_CARRY_BLOCKING_H

#include <stdbool.h>

#include "numbers.h"
#include "records.h"

// All zeros: nothing is known yet.
typedef struct {
  // For each object and thread. `begun`: how many beginnings of their waits are in the ring. `ended`: the ticks of their latest end.
  number_map begun, ended;
  // For each thread: the object of the latest wait that the thread recorded itself, until that wait ends.
  number_map own;
  // The ticks of the latest beginning that was scanned. Beginnings in chunks that are still being written are later.
  uint64_t last_reported;
  // How many entries `ended` had when it was last cleared of those that are not needed.
  uint32_t ended_kept;
  // The ticks of the latest name of each address.
  number_map names;
} blocking_carry;
void blocking_clear(blocking_carry *all);

// Returns the address and the kind of the object of a record `blocked`, `unblocked` or `signalled`, in one word.
uint64_t blocking_object(const chunk_record *record);

// These three note a record while a chunk is scanned. False: memory is out.
bool blocking_blocked(blocking_carry *all, const chunk_record *record);
bool blocking_unblocked(blocking_carry *all, const chunk_record *record);
bool blocking_named(blocking_carry *all, const chunk_record *record);
// Forgets ends whose beginnings have all left the ring. Call it after each scanned chunk.
void blocking_scanned(blocking_carry *all);

// True if a beginning must be carried, because the wait has not ended. If it has ended, forgets this beginning.
bool blocking_keeps_beginning(blocking_carry *all, const chunk_record *record);
bool blocking_keeps_end(const blocking_carry *all, const chunk_record *record);
bool blocking_keeps_name(const blocking_carry *all, const chunk_record *record);

#endif
