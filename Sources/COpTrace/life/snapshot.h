// Snapshots of all threads of the process, written into the trace.
#ifndef OPTRACE_SNAPSHOT_H
#define OPTRACE_SNAPSHOT_H

#include "../storage/recorder.h"

// Called by the flusher each time it wakes, without its lock. `beats`: a second has passed since the last call with it. Takes a
// snapshot if somebody has requested one, and with a heartbeat if operations are pending and nothing has changed since the
// heartbeat before; then again when something has changed and everything is still again, or after `snapshot_beats_to_next`. Where
// a thread ran in it another one follows at `snapshot_due`, unless something changes.
void snapshot_if_still(optrace_recorder *recorder, bool beats);
// When the next snapshot between two heartbeats is due, on the monotonic clock; UINT64_MAX: none. For the flusher alone.
uint64_t snapshot_due(optrace_recorder *recorder);
// What was written since the recorder's activity was `before` is the flusher's own.
void snapshot_overlook(optrace_recorder *recorder, uint64_t before);
// How many heartbeats after a snapshot the next one is due, while nothing changes: ten. Where a thread ran in it (`has_runner`) it
// proves little of that thread, so the next ones come after one, two and four beats. A program in which a thread always runs gets
// only these three; as many are allowed again after a snapshot in which none ran, or when something has changed. *again counts them.
uint32_t snapshot_beats_to_next(bool has_runner, uint32_t *again);
// Before the flusher starts, and after it has ended.
void snapshot_prepare(optrace_recorder *recorder);
void snapshot_discard(optrace_recorder *recorder);

#endif
