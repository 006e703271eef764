// The records of a block that is submitted to a dispatch queue.
#ifndef OPTRACE_SUBMITTED_H
#define OPTRACE_SUBMITTED_H

#include "../stacks/unwind.h"
#include "../storage/recorder.h"

// How a block is submitted, with the trace format's numbers; plus flags: it belongs to a group, is a work item, or runs alone.
enum { submitted_async = 0, submitted_barrier = 1, submitted_after = 2, submitted_notify = 3, submitted_sync = 4,
       submitted_ways = 15, submitted_in_group = 16, submitted_as_item = 32, submitted_alone = 64 };

// From now on blocks are recorded; see `optrace_record_dispatch`.
void record_submitted(optrace_recorder *recorder);
// The recorder that records blocks; null: none at the moment.
optrace_recorder *submission_recorder(void);
// Records a submission, before libdispatch gets the block. Returns the block's number; 0: there is no room. `code`: the address of
// the function that it runs. `here`: the hook's own `optrace_here()`.
uint32_t submitted(optrace_recorder *recorder, void *queue, uint32_t how, uint64_t code, optrace_start here);
// The block begins, or ends, on this thread. Nothing is recorded for number 0.
void submitted_begins(optrace_recorder *recorder, uint32_t number);
void submitted_ends(optrace_recorder *recorder, uint32_t number);
// The block was released and will never run.
void submitted_dropped(optrace_recorder *recorder, uint32_t number);
void submitted_cancelled(optrace_recorder *recorder, uint32_t number);

#endif
