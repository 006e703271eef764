// The hot path: a thread stores a record in the chunk that it owns, without locks, allocations or shared cache lines.
#include "emit.h"

#include <string.h>
#include <time.h>

#include "../held/work.h"
#include "../operations/frames.h"
#include "COpTraceFields.h"
#include "fast_path.h"
#include "room.h"
#include "stack_ids.h"
#include "text.h"

// The stack of a record follows it in the same chunk, so that a ring cannot drop one without the other. 0: no stack.
static inline uint32_t stack_record_bytes(uint32_t stack) { return stack ? 8 : 0; }
static inline uint8_t *store_stack(uint8_t *end, uint32_t stack) {
  if (!stack) return end;
  uint64_t head = record_head(optrace_kind_stood_at, 0, stack);
  memcpy(end, &head, 8);
  return end + 8;
}

// Reserves room and stores the first word. The record's time is `now`, or that of the thread's last record if this is later.
static inline uint8_t *begin_at(optrace_recorder *recorder, thread_buffer **out, uint32_t bytes, uint8_t kind, uint32_t subject,
                                uint64_t now) {
  thread_buffer *buffer = *out = buffer_find(recorder);
  if (unlikely(!buffer)) return NULL;
  if (unlikely(now < buffer->last_ticks)) now = buffer->last_ticks;  // The thread has moved to a core whose counter is a little behind.
  uint64_t delta = now - buffer->last_ticks;
  uint8_t *at = buffer->cursor;
  buffer_enter(buffer);
  if (unlikely(delta > optrace_format_largest_delta || !buffer_fits(buffer, at, bytes))) {
    at = buffer_reserve_slowly(buffer, bytes, now, &delta);
    if (!at) return buffer_refuse(buffer);
  }
  buffer->last_ticks = now;
  count_pending(buffer, pending_by_kind[kind]);
  uint64_t head = record_head(kind, delta, subject);
  memcpy(at, &head, 8);
  return at;
}

static inline uint8_t *begin(optrace_recorder *recorder, thread_buffer **out, uint32_t bytes, uint8_t kind, uint32_t subject) {
  return begin_at(recorder, out, bytes, kind, subject, recorder_now(recorder));
}

static __attribute__((noinline)) void emit1_slowly(optrace_recorder *recorder, uint8_t kind, uint32_t subject) {
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 8, kind, subject);
  if (likely(at != NULL)) buffer_commit(buffer, at + 8);
}

void optrace_emit1(optrace_recorder *recorder, uint8_t kind, uint32_t subject) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 8, kind, subject);
  if (unlikely(!at)) return emit1_slowly(recorder, kind, subject);
  buffer_commit(buffer, at + 8);
}

void optrace_recorder_record_cpu(optrace_recorder *recorder) {
  if (recorder) atomic_store_explicit(&recorder->records_cpu, true, memory_order_relaxed);
}

// Writes the record and the processor time in one piece, so that a ring cannot drop one without the other.
static __attribute__((noinline)) bool emit_with_cpu(optrace_recorder *recorder, uint8_t kind, uint32_t subject) {
  struct timespec used;
  if (!recorder_is_enabled(recorder) || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)) return false;
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 24, kind, subject);
  if (unlikely(!at)) return true;
  optrace_processor_time_fields fields = {.used = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec};
  uint64_t words[2] = {record_head(optrace_kind_processor_time, 0, subject), optrace_processor_time_word1(fields)};
  memcpy(at + 8, words, 16);
  buffer_commit(buffer, at + 24);
  return true;
}

// Whether processor time follows this record: an operation's code begins or ends on this thread, or its `start()` returns after the
// code has ended on another thread.
static bool is_recorded_with_cpu(uint8_t kind, uint32_t serial) {
  static _Thread_local uint32_t ended;
  bool is_end = kind == optrace_kind_execution_ended || kind == optrace_kind_ended_finished;
  if (is_end) ended = serial;
  return is_end || kind == optrace_kind_execution_began || kind == optrace_kind_started_began ||
         (kind == optrace_kind_start_returned && ended != serial);
}

void record_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind) {
  uint32_t serial = atomic_load_explicit(&operation->serial, memory_order_relaxed);
  bool is_recorded = atomic_load_explicit(&recorder->records_cpu, memory_order_relaxed) && is_recorded_with_cpu(kind, serial) &&
                     emit_with_cpu(recorder, kind, serial);
  if (!is_recorded) optrace_emit1(recorder, kind, serial);
}

// An operation that is released without having finished is no longer pending.
static inline void count_released(const optrace_operation *operation, const optrace_recorder *recorder) {
  thread_buffer *buffer = this_thread.buffers;
  bool is_over = atomic_load_explicit(&operation->bits, memory_order_relaxed) & optrace_bit_finish_recorded;
  if (!is_over && buffer && buffer->recorder == recorder) count_pending(buffer, -1);
}

static __attribute__((noinline)) void event_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t kind,
                                                   bool is_recorded) {
  if (!is_recorded) record_slowly(operation, recorder, kind);
  if (operation_has_companion(operation)) operation_notify(operation, kind, NULL, 0);
  if (kind == optrace_kind_released) count_released(operation, recorder);
}

void optrace_operation_event(const optrace_operation *operation, uint8_t kind) {
  optrace_recorder *recorder = operation_recorder(operation);
  if (!recorder) return;
  bool is_recorded = record_fast(operation, recorder, kind);
  if (unlikely(!is_recorded || operation_has_companion(operation))) return event_slowly(operation, recorder, kind, is_recorded);
  if (kind == optrace_kind_released) count_released(operation, recorder);
}

void optrace_emit1_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t stack) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 8 + stack_record_bytes(stack), kind, subject);
  if (likely(at != NULL)) buffer_commit(buffer, store_stack(at + 8, stack));
}

static __attribute__((noinline)) void emit2_slowly(optrace_recorder *recorder, uint8_t kind, uint32_t subject,
                                                   uint64_t word1) {
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 16, kind, subject);
  if (unlikely(!at)) return;
  memcpy(at + 8, &word1, 8);
  buffer_commit(buffer, at + 16);
}

void optrace_emit2(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 16, kind, subject);
  if (unlikely(!at)) return emit2_slowly(recorder, kind, subject, word1);
  memcpy(at + 8, &word1, 8);
  buffer_commit(buffer, at + 16);
}

void optrace_emit2_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint32_t stack) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 16 + stack_record_bytes(stack), kind, subject);
  if (unlikely(!at)) at = begin(recorder, &buffer, 16 + stack_record_bytes(stack), kind, subject);
  if (unlikely(!at)) return;
  memcpy(at + 8, &word1, 8);
  buffer_commit(buffer, store_stack(at + 16, stack));
}

void optrace_operation_event2(const optrace_operation *operation, uint8_t kind, uint64_t word1) {
  optrace_recorder *recorder = operation_recorder(operation);
  if (recorder) optrace_emit2(recorder, kind, atomic_load_explicit(&operation->serial, memory_order_relaxed), word1);
}

void emit3_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2, uint32_t stack) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 24 + stack_record_bytes(stack), kind, subject);
  if (unlikely(!at)) return;
  memcpy(at + 8, &word1, 8);
  memcpy(at + 16, &word2, 8);
  buffer_commit(buffer, store_stack(at + 24, stack));
}

void optrace_emit3(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2) {
  emit3_at(recorder, kind, subject, word1, word2, 0);
}

// Converts ticks to the unit of an age field, and limits them to the field's largest value.
static uint64_t age_in_units(uint64_t ticks) {
  uint64_t age = ticks / optrace_format_age_unit;
  return age < optrace_blocked_largest_age ? age : optrace_blocked_largest_age;
}

// The operation's age at the buffer's last record, as a field of `created`.
static inline uint64_t age_at(const optrace_recorder *recorder, const thread_buffer *buffer, const optrace_operation *operation) {
  uint64_t now = buffer->last_ticks, since = operation->created;
  // `created` is always in the counter's ticks if there is a counter. This recorder uses the monotonic clock nevertheless, so convert.
  if (unlikely(!recorder->use_counter) && optrace_clock_has_counter()) {
    uint64_t ticks = optrace_counter() - since;
    since = now - (uint64_t)((double)ticks * 1e9 / (double)optrace_clock_frequency());
  }
  return optrace_operation_created_word1((optrace_operation_created_fields){.age = age_in_units(now > since ? now - since : 0)});
}

void optrace_emit_created(optrace_recorder *recorder, uint32_t serial, uint64_t word1, const optrace_operation *operation) {
  if (!recorder_is_enabled(recorder)) return;
  if (!operation) return optrace_emit2(recorder, optrace_kind_operation_created, serial, word1);
  uint32_t stack = unlikely(operation->made) ? creation_stack_id(recorder, operation->made) : 0;
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 16 + stack_record_bytes(stack), optrace_kind_operation_created, serial);
  if (unlikely(!at)) at = begin(recorder, &buffer, 16 + stack_record_bytes(stack), optrace_kind_operation_created, serial);
  if (unlikely(!at)) return;
  word1 |= age_at(recorder, buffer, operation);
  memcpy(at + 8, &word1, 8);
  buffer_commit(buffer, store_stack(at + 16, stack));
}

void optrace_emit_added(optrace_recorder *recorder, uint8_t kind, uint32_t serial, uint64_t created, uint64_t enqueued,
                        const optrace_operation *operation, uint32_t stack) {
  if (!recorder_is_enabled(recorder)) return;
  held_work_is_given(serial, optrace_enqueued_read(enqueued).queue, optrace_held_slot, 0);
  thread_buffer *buffer = this_thread.buffers;
  uint8_t *at = begin_fast(recorder, buffer, 24 + stack_record_bytes(stack), kind, serial);
  if (unlikely(!at)) at = begin(recorder, &buffer, 24 + stack_record_bytes(stack), kind, serial);
  if (unlikely(!at)) return;
  created |= age_at(recorder, buffer, operation);
  memcpy(at + 8, &created, 8);
  memcpy(at + 16, &enqueued, 8);
  buffer_commit(buffer, store_stack(at + 24, stack));
}

void emit_since(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since,
                uint32_t thread, uint64_t now, uint32_t stack) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint8_t *at = begin_at(recorder, &buffer, 24 + stack_record_bytes(stack), kind, subject, now);
  if (unlikely(!at)) return;
  uint64_t age = age_in_units(buffer->last_ticks > since ? buffer->last_ticks - since : 0);
  uint64_t word2 = optrace_blocked_word2((optrace_blocked_fields){.age = age, .thread = thread});
  memcpy(at + 8, &word1, 8);
  memcpy(at + 16, &word2, 8);
  buffer_commit(buffer, store_stack(at + 24, stack));
}

void emit_sample(optrace_recorder *recorder, uint8_t kind, uint32_t frame, uint64_t since, uint32_t thread) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 16, kind, frame);
  if (unlikely(!at)) return;
  uint64_t age = age_in_units(buffer->last_ticks > since ? buffer->last_ticks - since : 0);
  uint64_t word1 = optrace_sampled_word1((optrace_sampled_fields){.age = age, .thread = thread});
  memcpy(at + 8, &word1, 8);
  buffer_commit(buffer, at + 16);
}

void emit_aged(optrace_recorder *recorder, uint8_t kind, uint32_t subject, const uint64_t *words, uint32_t count, age_place place) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint8_t *at = begin(recorder, &buffer, 8 + 8 * count, kind, subject);
  if (unlikely(!at)) return;
  uint64_t age = age_in_units(buffer->last_ticks > place.since ? buffer->last_ticks - place.since : 0);
  uint64_t most = ((uint64_t)1 << place.bits) - 1, aged = words[place.word] | (age < most ? age : most) << place.shift;
  memcpy(at + 8, words, 8 * count);
  memcpy(at + 8 + 8 * place.word, &aged, 8);
  buffer_commit(buffer, at + 8 + 8 * count);
}

void emit_at_time(optrace_recorder *recorder, uint8_t kind, uint32_t subject, const uint64_t *words, uint32_t count, uint64_t now) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint8_t *at = begin_at(recorder, &buffer, 8 + 8 * count, kind, subject, now);
  if (unlikely(!at)) return;
  memcpy(at + 8, words, 8 * count);
  buffer_commit(buffer, at + 8 + 8 * count);
}

static __attribute__((noinline)) bool emit_text_slowly(optrace_recorder *recorder, uint8_t kind, uint32_t subject,
                                                       uint32_t high, bool has_word2, uint64_t word2,
                                                       const uint8_t *text, size_t length) {
  thread_buffer *buffer;
  uint32_t words = 2 + has_word2 + (uint32_t)((length + 7) / 8);
  uint8_t *at = begin(recorder, &buffer, words * 8, kind, subject);
  if (unlikely(!at)) return false;
  buffer_commit(buffer, store_text(at, words, high, has_word2, word2, text, length));
  return true;
}

static inline bool emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                             uint64_t word2, const uint8_t *text, size_t length) {
  thread_buffer *buffer = this_thread.buffers;
  uint32_t words = 2 + has_word2 + (uint32_t)((length + 7) / 8);
  uint8_t *at = begin_fast(recorder, buffer, words * 8, kind, subject);
  if (unlikely(!at)) return emit_text_slowly(recorder, kind, subject, high, has_word2, word2, text, length);
  buffer_commit(buffer, store_text(at, words, high, has_word2, word2, text, length));
  return true;
}

bool optrace_emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                       uint64_t word2, const uint8_t *text, size_t length) {
  return recorder_is_enabled(recorder) && emit_text(recorder, kind, subject, high, has_word2, word2, text, length);
}

void optrace_emit_text_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                          uint64_t word2, const uint8_t *text, size_t length, uint32_t stack) {
  if (!recorder_is_enabled(recorder)) return;
  thread_buffer *buffer;
  uint32_t words = 2 + has_word2 + (uint32_t)((length + 7) / 8);
  uint8_t *at = begin(recorder, &buffer, words * 8 + stack_record_bytes(stack), kind, subject);
  if (unlikely(!at)) return;
  buffer_commit(buffer, store_stack(store_text(at, words, high, has_word2, word2, text, length), stack));
}

void optrace_emit_here(optrace_recorder *recorder, uint8_t kind, uint32_t high, const uint8_t *text, size_t length) {
  if (!recorder_is_enabled(recorder)) return;
  work current = frame_work();
  uint32_t subject = current.recorder == recorder ? current.number : 0;
  emit_text(recorder, kind, subject, high, false, 0, text, length);
}
