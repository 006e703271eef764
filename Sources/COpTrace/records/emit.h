// Records that only the recorder itself writes; the others stand in COpTrace.h.
#ifndef OPTRACE_EMIT_H
#define OPTRACE_EMIT_H

#include "COpTrace.h"

// A record about what was at `since`; its age is exact for the record's own time, which is `now`, or that of the thread's last
// record where this is later. `stack`: where that thread stands; 0: not known.
void emit_since(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since,
                uint32_t thread, uint64_t now, uint32_t stack);
// As `optrace_emit3`, with a stack.
void emit3_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2, uint32_t stack);
// A record of one word about an operation, where `record_fast` could not: the recorder has stopped, records processor time, or has to
// find a buffer, a time or room.
void record_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind);

#endif
