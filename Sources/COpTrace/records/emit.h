// Records that only the core itself writes. The others are in COpTrace.h.
#ifndef OPTRACE_EMIT_H
#define OPTRACE_EMIT_H

#include "COpTrace.h"

// Writes a record about something that happened at `since`, on the recorder's clock. The record stores how long ago that was,
// relative to its own time: `now`, or the time of the thread's last record if that is later. `stack`: the thread's stack; 0: not known.
void emit_since(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since,
                uint32_t thread, uint64_t now, uint32_t stack);
// A `sampled` or `sampled-in-kernel` record of something that happened at `since`.
void emit_sample(optrace_recorder *recorder, uint8_t kind, uint32_t frame, uint64_t since, uint32_t thread);
// Where in a record its age is: in a word, from a bit on. `since`: the ticks from which it counts; UINT64_MAX: it is not known, 0 is written.
typedef struct {
  uint64_t since;
  uint8_t word, shift, bits;
} age_place;
// Writes a record with `count` words after the first one, to one of which its age is added.
void emit_aged(optrace_recorder *recorder, uint8_t kind, uint32_t subject, const uint64_t *words, uint32_t count, age_place age);
// Writes a record with `count` words after the first one. Its time is `now`, or that of the thread's last record if that is later.
void emit_at_time(optrace_recorder *recorder, uint8_t kind, uint32_t subject, const uint64_t *words, uint32_t count, uint64_t now);
// Like `optrace_emit3`, followed by the thread's stack.
void emit3_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2, uint32_t stack);
// Writes a record of one word about an operation that `record_fast` could not write, because the recorder has stopped, records
// processor time, or needs a buffer, a time record or room.
void record_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind);

#endif
