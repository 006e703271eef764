// The fast path, for nearly all records: the thread's first buffer belongs to this recorder, the clock is the counter, the last
// record was written not long ago, and there is room. It is inline, to save a call.
#ifndef OPTRACE_FAST_PATH_H
#define OPTRACE_FAST_PATH_H

#include <string.h>

#include "../operations/operation.h"
#include "buffers.h"
#include "pending.h"
#include "words.h"

// Reserves room and stores the first word. It makes no calls, so the caller need not save registers. Null: take the slow path.
static inline uint8_t *begin_fast(optrace_recorder *recorder, thread_buffer *buffer, uint32_t bytes, uint8_t kind,
                                  uint32_t subject) {
  if (unlikely(!buffer || buffer->recorder != recorder || !recorder->use_counter)) return NULL;
  uint64_t now = optrace_counter();
  uint64_t delta = now - buffer->last_ticks;  // Large if time seems to go backwards.
  uint8_t *at = buffer->cursor;
  buffer_enter(buffer);
  if (unlikely(delta > optrace_format_largest_delta || !buffer_fits(buffer, at, bytes))) return buffer_refuse(buffer);
  buffer->last_ticks = now;
  count_pending(buffer, pending_by_kind[kind]);
  uint64_t head = record_head(kind, delta, subject);
  memcpy(at, &head, 8);
  return at;
}

// A record of one word about an operation. Does not notify the operation's companion. False: take the slow path.
static inline bool record_fast(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind) {
  if (unlikely(!recorder_is_enabled(recorder) || atomic_load_explicit(&recorder->records_cpu, memory_order_relaxed))) return false;
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 8, kind, atomic_load_explicit(&operation->serial, memory_order_relaxed));
  if (unlikely(!at)) return false;
  buffer_commit(buffer, at + 8);
  return true;
}

#endif
