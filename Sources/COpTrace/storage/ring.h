// The flight recorder's chunks.
//
// Two locks guard them. `lock`, held for moments, guards the lists of chunks. `recycling` guards everything that recycling needs: what
// is known about unfinished work, the copy of a chunk, the chunk of carried records. It is held for one chunk at a time. A thread that
// records waits for it only if there is no free chunk, and not for long. Lock order: `recycling`, then `lock`.
#ifndef OPTRACE_RING_H
#define OPTRACE_RING_H

#include "recorder.h"

// How many free chunks are left for carried records: a chunk full of them takes up to a third more room than it had.
static inline uint32_t ring_reserve(const optrace_recorder *recorder) {
  enum { least = 8, most = 32 };
  uint32_t reserve = recorder->ring_count / 8;
  return reserve < least ? least : reserve > most ? most : reserve;
}
static inline uint32_t ring_least_reserve(const optrace_recorder *recorder) { return ring_reserve(recorder) / 4 * 3; }
// How many free chunks the flusher keeps ready. While it catches up, threads record into these.
static inline uint32_t ring_ready(const optrace_recorder *recorder) {
  uint32_t part = recorder->ring_count / 8, least = 2 * ring_reserve(recorder);
  return part > least ? part : least;
}

// Whether threads own so many chunks that there is little to recycle but what was carried already.
static inline bool ring_is_crowded(const optrace_recorder *recorder) {
  return recorder->ring_retired_count - recorder->ring_retired_carried + recorder->rests_count < recorder->ring_count / 8;
}

bool ring_prepare(optrace_recorder *recorder);
void ring_discard(optrace_recorder *recorder);

// The flusher calls these, without a lock.

// Notes what begins and ends in retired chunks, and seals them.
void ring_scan(optrace_recorder *recorder);
// Recycles chunks until enough are free.
void ring_recycle_ahead(optrace_recorder *recorder);
// Carries what is unfinished and older than the time from which on the ring is complete, of chunks that are still there. A reader can
// then tell it from work whose end was overwritten. O(chunks that have older records as well).
void ring_carry_ahead(optrace_recorder *recorder);
// Notes what is in a chunk that nobody writes to. What was scanned before is left out, if its thread continued it since.
void ring_scan_chunk(optrace_recorder *recorder, const chunk_header *chunk);

// A thread calls this without a lock, when it finds no chunk. Recycles one: the one whose last record is the oldest, after carrying
// forward what is unfinished. If others are recycling, waits for them, for some milliseconds at most. O(records of the chunk).
typedef enum { ring_recycled, ring_is_busy, ring_has_none } ring_help_result;
ring_help_result ring_help(optrace_recorder *recorder);

// The caller holds `lock`.

// For a thread or a definition. Null: there is no room now. `is_earned`: see `chunk_take`.
chunk_header *ring_take(optrace_recorder *recorder, bool is_earned);
// For carried records, which may use the reserve.
chunk_header *ring_take_reserved(optrace_recorder *recorder);
// `last_ticks`: those of the chunk's last record; for carried records, the present.
void ring_retire(optrace_recorder *recorder, const chunk_header *chunk, uint64_t last_ticks);

// Any thread may call these, without a lock. Records up to these ticks may be missing; 0: none are.
void ring_note_missing(optrace_recorder *recorder, uint64_t ticks);
static inline uint64_t ring_complete_since(optrace_recorder *recorder) {
  return atomic_load_explicit(header_word(recorder, optrace_header_complete_since), memory_order_relaxed);
}

#endif
