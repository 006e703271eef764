// Stopping a recorder at the end of the process.
#ifndef OPTRACE_LIFECYCLE_H
#define OPTRACE_LIFECYCLE_H

#include "../storage/recorder.h"

// For a recorder without a flusher, if its locks are free until that time, on the monotonic clock.
void lifecycle_stop_until(optrace_recorder *recorder, uint64_t until);

#endif
