// The mapped file.
#ifndef OPTRACE_FILE_H
#define OPTRACE_FILE_H

#include "recorder.h"

int file_open(optrace_recorder *recorder);  // 0 or an errno.
// Takes `grow` itself. `ahead`: called by the flusher, ahead of need.
bool file_grow(optrace_recorder *recorder, uint64_t needed, bool ahead);
int file_close(optrace_recorder *recorder);
// Unmaps everything, when nothing has been recorded yet.
void file_discard(optrace_recorder *recorder);
// Whether a descriptor is one of the trace's file: the program may close ours and open something else under its number.
bool file_is(const optrace_recorder *recorder, int descriptor);

#endif
