// The records of a block that is submitted to a dispatch queue.
#ifndef OPTRACE_SUBMITTED_H
#define OPTRACE_SUBMITTED_H

#include "../stacks/unwind.h"
#include "../storage/recorder.h"

// How a block comes to its queue: as the format has it, and whether it is of a group, or a work item.
enum { submitted_async = 0, submitted_barrier = 1, submitted_after = 2, submitted_notify = 3, submitted_sync = 4,
       submitted_ways = 15, submitted_in_group = 16, submitted_as_item = 32 };

// From here on blocks are recorded; see `optrace_record_dispatch`.
void record_submitted(optrace_recorder *recorder, uint32_t (*define)(void *context, uint64_t function));
// Who records blocks; null: nobody at the moment.
optrace_recorder *submission_recorder(void);
// A submission's number in the trace; 0: there is no room. Before libdispatch has it. `code`: what it runs. `here` is the hook's
// own `optrace_here()`.
uint32_t submitted(optrace_recorder *recorder, void *queue, uint32_t how, uint64_t code, optrace_start here);
// It runs on this thread from here on, which then works for it. Of number 0 nothing is told.
void submitted_begins(optrace_recorder *recorder, uint32_t number);
void submitted_ends(optrace_recorder *recorder, uint32_t number);
// It will never run.
void submitted_dropped(optrace_recorder *recorder, uint32_t number);
void submitted_cancelled(optrace_recorder *recorder, uint32_t number);

#endif
