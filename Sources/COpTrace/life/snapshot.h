// Snapshots of all threads of the process, written into the trace.
#ifndef OPTRACE_SNAPSHOT_H
#define OPTRACE_SNAPSHOT_H

#include "../storage/recorder.h"

// Called by the flusher each time it wakes, without its lock. `beats`: a second has passed since the last call with it. Takes a
// snapshot if somebody has requested one, and with a heartbeat if operations are pending and nothing has changed since the
// heartbeat before; then again with every tenth heartbeat, or when something has changed and everything is still again.
void snapshot_if_still(optrace_recorder *recorder, bool beats);
// What was written since the recorder's activity was `before` is the flusher's own.
void snapshot_overlook(optrace_recorder *recorder, uint64_t before);
// Before the flusher starts, and after it has ended.
void snapshot_prepare(optrace_recorder *recorder);
void snapshot_discard(optrace_recorder *recorder);

#endif
