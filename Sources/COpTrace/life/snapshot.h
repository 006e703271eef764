// A look at all threads of the process, into the trace.
#ifndef OPTRACE_SNAPSHOT_H
#define OPTRACE_SNAPSHOT_H

#include "../storage/recorder.h"

// By the flusher, once each time it wakes; without its lock. `beats`: a second has passed since the last one that did. Looks
// where somebody has asked for it, and with a beat where operations are pending and nothing has changed since the beat
// before: then again with every tenth beat, or when something has changed and stands still again.
void snapshot_if_still(optrace_recorder *recorder, bool beats);
// Before the recorder's thread begins; and when it has ended.
void snapshot_prepare(optrace_recorder *recorder);
void snapshot_discard(optrace_recorder *recorder);

#endif
