// The way that nearly all records take: this thread's lane is the first, the clock is the counter, the time is near and there is room.
// Inline, for those whose only call it would be.
#ifndef OPTRACE_AT_ONCE_H
#define OPTRACE_AT_ONCE_H

#include <string.h>

#include "../operations/operation.h"
#include "lanes.h"
#include "words.h"

// By how much a record changes the number of operations that are known and not over.
__attribute__((visibility("hidden"))) extern const int8_t pending_by_kind[256];

static inline void count_pending(lane *l, int64_t change) {
  int64_t pending = atomic_load_explicit(&l->pending, memory_order_relaxed);
  atomic_store_explicit(&l->pending, pending + change, memory_order_relaxed);
}

// Room for a record whose first word is stored. Calls nothing, so that nothing has to be saved around calls. Null where it must go the
// long way.
static inline uint8_t *begin_at_once(optrace_recorder *recorder, lane *l, uint32_t bytes, uint8_t kind,
                                     uint32_t subject) {
  if (unlikely(!l || l->recorder != recorder || !recorder->use_counter)) return NULL;
  uint64_t now = optrace_counter();
  uint64_t delta = now - l->last_ticks;  // Far where the time seems to go back.
  uint8_t *at = l->cursor;
  if (unlikely(delta > optrace_format_largest_delta || (size_t)(l->end - at) < bytes)) return NULL;
  l->last_ticks = now;
  count_pending(l, pending_by_kind[kind]);
  uint64_t head = record_head(kind, delta, subject);
  memcpy(at, &head, 8);
  return at;
}

// A one-word record about an operation, of which its companion is not told. False where it must go the long way.
static inline bool record_at_once(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind) {
  if (unlikely(!recorder_is_enabled(recorder) || atomic_load_explicit(&recorder->tells_cpu, memory_order_relaxed))) return false;
  lane *l = this_thread.lanes;
  uint8_t *at = begin_at_once(recorder, l, 8, kind, atomic_load_explicit(&operation->serial, memory_order_relaxed));
  if (unlikely(!at)) return false;
  lane_commit(l, at + 8);
  return true;
}

// That way: the recorder has stopped, tells processor time, or has to find a lane, a time or room.
void record_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind);

#endif
