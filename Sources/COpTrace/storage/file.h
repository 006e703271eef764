// Maps the trace file into memory, and makes it grow.
#ifndef OPTRACE_FILE_H
#define OPTRACE_FILE_H

#include "recorder.h"

int file_open(optrace_recorder *recorder);  // 0 or an errno.
// Makes room for `needed` more bytes; true if there is. Takes the lock `grow`. `ahead`: the flusher calls it before any thread needs
// the room.
bool file_grow(optrace_recorder *recorder, uint64_t needed, bool ahead);
int file_close(optrace_recorder *recorder);
// Unmaps everything. Only for a recorder that has recorded nothing.
void file_discard(optrace_recorder *recorder);
// Whether a descriptor refers to the trace file. The program may have closed the recorder's descriptor and reused its number for
// another file.
bool file_is(const optrace_recorder *recorder, int descriptor);

#endif
