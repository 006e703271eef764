// Takes chunks of a ring back from threads that have not recorded anything for a while, so that a thread that sleeps owns nothing.
#ifndef OPTRACE_RECLAIM_H
#define OPTRACE_RECLAIM_H

#include "../storage/recorder.h"

// Looks at all threads once. The chunk of a thread that has not recorded anything since the last look is asked for, and taken back at
// the next look if the thread is still silent. `is_short`: only a sixteenth of the ring's chunks is asked for, as the looks come so often
// that most threads are silent in between. Looks must be at least a millisecond apart; see records/buffers.h. The flusher calls it,
// without a lock. O(threads).
void reclaim_idle(optrace_recorder *recorder, bool is_short);

#endif
