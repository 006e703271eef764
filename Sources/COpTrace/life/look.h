// A look at all threads of the process, into the trace.
#ifndef OPTRACE_LOOK_H
#define OPTRACE_LOOK_H

#include "../storage/recorder.h"

// By the keeper, once each time it wakes; without its lock. `beats`: a second has passed since the last one that did. Looks
// where somebody has asked for it, and with a beat where operations are pending and nothing has changed since the beat
// before: then again with every tenth beat, or when something has changed and stands still again.
void look_if_still(optrace_recorder *recorder, bool beats);
// Before the recorder's thread begins; and when it has ended.
void look_prepare(optrace_recorder *recorder);
void look_discard(optrace_recorder *recorder);

#endif
