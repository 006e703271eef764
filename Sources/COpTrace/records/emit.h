// Records that only the core itself writes. The others are in COpTrace.h.
#ifndef OPTRACE_EMIT_H
#define OPTRACE_EMIT_H

#include "COpTrace.h"

// A record about something that happened at `since`. Its age is relative to the record's own time: `now`, or that of the thread's
// last record if this is later. `stack`: the thread's stack; 0: not known.
void emit_since(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since,
                uint32_t thread, uint64_t now, uint32_t stack);
// A `sampled` or `sampled-in-kernel` record of something that happened at `since`.
void emit_sample(optrace_recorder *recorder, uint8_t kind, uint32_t frame, uint64_t since, uint32_t thread);
// A record with so many words behind the first one, and the time `now`, or that of the thread's last record if this is later.
void emit_at_time(optrace_recorder *recorder, uint8_t kind, uint32_t subject, const uint64_t *words, uint32_t count, uint64_t now);
// Like `optrace_emit3`, followed by the thread's stack.
void emit3_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2, uint32_t stack);
// A record of one word about an operation, when `record_fast` could not write it: the recorder has stopped, records processor
// time, or needs a buffer, a time record or room.
void record_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind);

#endif
