// Snapshots of all threads of the process, written into the trace.
#ifndef OPTRACE_SNAPSHOT_H
#define OPTRACE_SNAPSHOT_H

#include "../storage/recorder.h"

// A source of the flusher: see life/sources.h. Takes a snapshot if somebody has requested one. At a heartbeat it also takes one if operations are pending and nothing has changed since
// the last heartbeat; the next one follows when something has changed and then stopped again, or after `snapshot_beats_to_next`. If a
// thread was running in the snapshot, one more is taken at `snapshot_due`, unless something changes before that.
bool snapshot_if_still(optrace_recorder *recorder, flusher_beat beat);
// When a snapshot between two heartbeats is due.
uint64_t snapshot_due(optrace_recorder *recorder, uint64_t now);
// Call it after the flusher has written records of its own: they do not count as a change. `before`: the recorder's activity before
// they were written.
void snapshot_overlook(optrace_recorder *recorder, uint64_t before);
// How many heartbeats after a snapshot the next one is due, while nothing changes: usually ten. If a thread was running in it
// (`has_runner`), the snapshot proves little about that thread, so the next ones follow after one, two and four beats. If a thread
// runs all the time, there are only these three early ones. The count starts again after a snapshot without a running thread, or when
// something has changed. *again counts the early ones.
uint32_t snapshot_beats_to_next(bool has_runner, uint32_t *again);
// Call `prepare` before the flusher starts, and `discard` after it has ended.
void snapshot_prepare(optrace_recorder *recorder);
void snapshot_discard(optrace_recorder *recorder);

#endif
