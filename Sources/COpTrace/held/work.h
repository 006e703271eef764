// What work holds while it runs: an operation the slot of its queue, a block its dispatch queue.
#ifndef OPTRACE_HELD_WORK_H
#define OPTRACE_HELD_WORK_H

#include "held.h"

// The work with this number was given to a queue. `kind`: `optrace_held_slot` or `optrace_held_queue`. `how`: `held_reader` if others may run
// in the queue at the same time.
void held_add_work(uint32_t number, uint32_t queue, uint8_t kind, uint8_t how);
void held_begin_work(uint32_t number);
void held_end_work(uint32_t number);

static inline void held_work_is_given(uint32_t number, uint32_t queue, uint8_t kind, uint8_t how) {
  if (unlikely(held_recording())) held_add_work(number, queue, kind, how);
}
// It begins and ends on this thread.
static inline void held_work_begins(uint32_t number) {
  if (unlikely(held_recording())) held_begin_work(number);
}
static inline void held_work_ends(uint32_t number) {
  if (unlikely(held_recording())) held_end_work(number);
}

#endif
