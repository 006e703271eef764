// The way that nearly all records take: this thread's thread_buffer is the first, the clock is the counter, the time is near and there is room.
// Inline, for those whose only call it would be.
#ifndef OPTRACE_FAST_PATH_H
#define OPTRACE_FAST_PATH_H

#include <string.h>

#include "../operations/operation.h"
#include "buffers.h"
#include "pending.h"
#include "words.h"

// Room for a record whose first word is stored. Calls nothing, so that nothing has to be saved around calls. Null where it must go the
// long way.
static inline uint8_t *begin_fast(optrace_recorder *recorder, thread_buffer *buffer, uint32_t bytes, uint8_t kind,
                                     uint32_t subject) {
  if (unlikely(!buffer || buffer->recorder != recorder || !recorder->use_counter)) return NULL;
  uint64_t now = optrace_counter();
  uint64_t delta = now - buffer->last_ticks;  // Far where the time seems to go back.
  uint8_t *at = buffer->cursor;
  if (unlikely(delta > optrace_format_largest_delta || (size_t)(buffer->end - at) < bytes)) return NULL;
  buffer->last_ticks = now;
  count_pending(buffer, pending_by_kind[kind]);
  uint64_t head = record_head(kind, delta, subject);
  memcpy(at, &head, 8);
  return at;
}

// A one-word record about an operation, of which its companion is not told. False where it must go the long way.
static inline bool record_fast(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind) {
  if (unlikely(!recorder_is_enabled(recorder) || atomic_load_explicit(&recorder->records_cpu, memory_order_relaxed))) return false;
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 8, kind, atomic_load_explicit(&operation->serial, memory_order_relaxed));
  if (unlikely(!at)) return false;
  buffer_commit(buffer, at + 8);
  return true;
}

#endif
