// The slow path: gets a chunk for a thread buffer, or counts a loss if there is none.
#include "room.h"

#include <string.h>

#include "../base/own_lock.h"
#include "../storage/chunks.h"
#include "../storage/file.h"
#include "../storage/ring.h"
#include "COpTraceFields.h"
#include "buffers.h"
#include "shared.h"
#include "words.h"

// The first records in a chunk, or in the part of it that another thread continues: the time and the thread, losses, its name.
enum { first_chunk = 2048, largest_chunk = 256 * 1024, own_records = 48 + longest_name_record };

static bool lose(thread_buffer *buffer, uint32_t reason, uint64_t ticks) {
  optrace_recorder *recorder = buffer->recorder;
  buffer->lost += 1;
  buffer->lost_reason = reason;
  // Close the chunk: a smaller record that still fits would hide the gap.
  atomic_store_explicit(&buffer->end, NULL, memory_order_relaxed);
  recorder_count_lost(recorder, reason, 1);
  ring_note_missing(recorder, ticks);
  return false;
}

// ---- Where chunks come from ------------------------------------------------------------------------------------------

typedef struct {
  chunk_header *chunk;
  uint64_t last_ticks;
  bool is_continued;  // Another thread has written to it before.
  bool is_crowded;    // A ring has none, since threads own most of its chunks: to wait is of no use.
} found_chunk;

// The caller holds the lock.
static found_chunk take_new(thread_buffer *buffer, uint32_t bytes, uint64_t ticks, bool is_earned) {
  chunk_header *chunk = chunk_take(buffer->recorder, bytes, optrace_chunk_kind_events, buffer->thread, ticks, is_earned);
  return (found_chunk){.chunk = chunk, .last_ticks = ticks};
}

static found_chunk take_rest(optrace_recorder *recorder, uint32_t bytes) {
  found_chunk found = {.is_continued = true};
  found.chunk = chunk_continue(recorder, bytes, &found.last_ticks);
  return found;
}

// The caller holds the lock. A ring continues chunks before it reuses any. A file only does so for threads without a chunk: a busy
// thread would go through many small rests.
static found_chunk take(thread_buffer *buffer, uint32_t bytes, uint32_t needed, uint64_t ticks, bool is_earned) {
  optrace_recorder *recorder = buffer->recorder;
  found_chunk found = {0};
  if (recorder->options.ring || !buffer->open) found = take_rest(recorder, needed + own_records);
  return found.chunk ? found : take_new(buffer, bytes, ticks, is_earned);
}

// The flusher has asked for this thread's chunk, but has not taken it yet. The caller holds the lock.
static bool keeps_own(thread_buffer *buffer, uint32_t needed) {
  if (!buffer->open || !buffer->is_asked) return false;
  buffer->is_asked = false;
  uint8_t *end = (uint8_t *)buffer->open + buffer->open->bytes;
  if (buffer->lost || (size_t)(end - buffer->cursor) < needed) return false;
  atomic_store_explicit(&buffer->end, end, memory_order_relaxed);
  return true;
}

// The caller holds the lock.
static void give(thread_buffer *buffer, const found_chunk *found) {
  if (buffer->open) chunk_retire(buffer->recorder, buffer->open, buffer_newest(buffer));
  buffer->open = buffer->chunk = found->chunk;
  buffer->newest_of_others = found->is_continued ? found->last_ticks : 0;
  atomic_store_explicit(&buffer->may_share, 0, memory_order_relaxed);
}

enum { is_kept, is_found, is_full, has_stopped };

static int find(thread_buffer *buffer, uint32_t bytes, uint32_t needed, uint64_t ticks, bool is_earned, found_chunk *found) {
  optrace_recorder *recorder = buffer->recorder;
  int result = is_full;
  own_lock(&recorder->lock);
  if (recorder->stopping || !atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) {
    result = has_stopped;
  } else if (keeps_own(buffer, needed)) {
    result = is_kept;
  } else if ((*found = take(buffer, bytes, needed, ticks, is_earned)).chunk) {
    give(buffer, found);
    result = is_found;
  } else {
    found->is_crowded = ring_is_crowded(recorder);
  }
  pthread_mutex_unlock(&recorder->lock);
  return result;
}

// ---- A ring without room ---------------------------------------------------------------------------------------------

// The longest that a thread tries, in nanoseconds. It takes that long only where whoever is recycling gets no processor. Afterwards it does
// not try for `quiet_for_each` times as long as it took, unless there is room again: a ring in which nothing moves costs a thread no more
// than a twentieth of its time. Where threads own most of the chunks it does not try at all: there each operation may be run by a thread
// that owns none, and those behind it would wait, too.
enum { try_for = 100000000, quiet_for_each = 20, least_quiet = 20000000, most_quiet = 2000000000 };

static bool is_quiet(const thread_buffer *buffer) {
  return buffer->quiet_until && buffer->quiet_since_room == atomic_load_explicit(&buffer->recorder->has_room_again, memory_order_relaxed) &&
         optrace_clock_monotonic() < buffer->quiet_until;
}

static void stay_away(thread_buffer *buffer, uint64_t since) {
  optrace_recorder *recorder = buffer->recorder;
  uint64_t now = optrace_clock_monotonic(), quiet = (now - since) * quiet_for_each;
  buffer->quiet_until = now + (quiet < least_quiet ? least_quiet : quiet > most_quiet ? most_quiet : quiet);
  buffer->quiet_since_room = atomic_load_explicit(&recorder->has_room_again, memory_order_relaxed);
  own_lock(&recorder->lock);
  recorder->failure = optrace_loss_no_space;
  recorder->is_short = true;
  pthread_cond_signal(&recorder->wake);
  pthread_mutex_unlock(&recorder->lock);
}

static int find_in_ring(thread_buffer *buffer, uint32_t needed, uint64_t ticks, found_chunk *found) {
  optrace_recorder *recorder = buffer->recorder;
  if (unlikely(is_quiet(buffer))) return is_full;
  int result = find(buffer, recorder->ring_chunk, needed, ticks, false, found);
  if (likely(result != is_full)) return result;
  uint64_t since = optrace_clock_monotonic();
  while (!found->is_crowded && optrace_clock_monotonic() - since <= try_for) {
    ring_help_result help = ring_help(recorder);
    result = find(buffer, recorder->ring_chunk, needed, ticks, help == ring_recycled, found);
    if (result != is_full) return result;
    if (help == ring_has_none) break;
  }
  stay_away(buffer, since);
  return is_full;
}

// ---- A file that grows -----------------------------------------------------------------------------------------------

static int find_in_file(thread_buffer *buffer, uint32_t needed, uint64_t ticks, found_chunk *found) {
  optrace_recorder *recorder = buffer->recorder;
  uint32_t least = (uint32_t)sizeof(chunk_header) + needed + own_records;
  uint32_t bytes = buffer->chunk_size ? buffer->chunk_size : first_chunk;
  if (bytes < least) bytes = chunk_bytes(needed + own_records);
  for (;;) {
    int result = find(buffer, bytes, needed, ticks, false, found);
    if (result != is_full) {
      if (!found->is_continued) buffer->chunk_size = bytes < largest_chunk / 4 ? bytes * 4 : largest_chunk;
      return result;
    }
    if (file_grow(recorder, bytes, false)) continue;
    if (bytes <= first_chunk || least > first_chunk) break;
    bytes = first_chunk;  // Retry with the smallest chunk, to use the rest of the space.
  }
  buffer->chunk_size = 0;
  // It may have been stopped meanwhile.
  return atomic_load_explicit(&recorder->enabled, memory_order_relaxed) ? is_full : has_stopped;
}

// ---- The first records -----------------------------------------------------------------------------------------------

static void begin_chunk(thread_buffer *buffer, const found_chunk *found, uint64_t ticks) {
  chunk_header *chunk = found->chunk;
  uint8_t *at = (uint8_t *)chunk + sizeof *chunk + atomic_load_explicit(&chunk->fill, memory_order_relaxed);
  if (found->is_continued) {
    at = store_pair(at, optrace_kind_time, 0, optrace_time_word1((optrace_time_fields){.ticks = ticks}));
    at = store_pair(at, optrace_kind_thread_switched, buffer->thread,
                    optrace_thread_switched_word1((optrace_thread_switched_fields){.tid = buffer->tid}));
  }
  if (buffer->lost) {
    at = store_pair(at, optrace_kind_lost, buffer->lost_reason, optrace_lost_word1((optrace_lost_fields){.count = buffer->lost}));
    buffer->lost = 0;
  }
  at += thread_name_record(buffer, at);
  buffer->last_ticks = ticks;
  buffer->cursor = at;
  atomic_store_explicit(&buffer->end, (uint8_t *)chunk + chunk->bytes, memory_order_relaxed);
  atomic_store_explicit(&chunk->fill, (uint32_t)(at - (uint8_t *)chunk - sizeof *chunk), memory_order_release);
}

static bool refill(thread_buffer *buffer, uint32_t needed, uint64_t ticks) {
  optrace_recorder *recorder = buffer->recorder;
  uint64_t retry_at = atomic_load_explicit(&recorder->retry_at, memory_order_relaxed);
  if (unlikely(retry_at && optrace_clock_monotonic() < retry_at)) return lose(buffer, recorder->failure, ticks);
  if (recorder->options.ring && sizeof(chunk_header) + needed + own_records > recorder->ring_chunk)
    return lose(buffer, optrace_loss_no_space, ticks);
  found_chunk found = {0};
  int result = recorder->options.ring ? find_in_ring(buffer, needed, ticks, &found) : find_in_file(buffer, needed, ticks, &found);
  if (result == is_full) return lose(buffer, recorder->failure, ticks);
  if (result == is_found) begin_chunk(buffer, &found, ticks);
  return result != has_stopped;  // Not a loss: the recorder was stopped.
}

// Whether the thread writes its next record to the chunk that many share.
static bool shares(const thread_buffer *buffer) {
  return atomic_load_explicit(&buffer->may_share, memory_order_acquire) && !buffer->chunk && !buffer->lost && buffer->recorder->options.ring;
}

uint8_t *buffer_reserve_slowly(thread_buffer *buffer, uint32_t bytes, uint64_t now, uint64_t *delta) {
  uint8_t *at = shares(buffer) ? shared_begin(buffer, bytes, now, delta) : NULL;
  if (at) return at;
  bool is_far = *delta > optrace_format_largest_delta;
  enum { time_record = 16 };
  if (!buffer_fits(buffer, buffer->cursor, bytes + (is_far ? time_record : 0))) {
    if (!refill(buffer, bytes + time_record, now)) return NULL;
    is_far = now - buffer->last_ticks > optrace_format_largest_delta;
  }
  // Not committed yet: it becomes visible with the next record.
  if (is_far)
    buffer->cursor = store_pair(buffer->cursor, optrace_kind_time, 0, optrace_time_word1((optrace_time_fields){.ticks = now}));
  *delta = is_far ? 0 : now - buffer->last_ticks;
  return buffer->cursor;
}

const void *optrace_chunk_with(optrace_recorder *recorder, uint32_t bytes) {
  thread_buffer *buffer = recorder_is_enabled(recorder) ? buffer_find(recorder) : NULL;
  if (!buffer) return NULL;
  atomic_store_explicit(&buffer->may_share, 0, memory_order_relaxed);
  uint32_t most = recorder->options.ring ? recorder->ring_chunk - (uint32_t)sizeof(chunk_header) - own_records : bytes;
  if (bytes > most) bytes = most;
  uint64_t delta = 0;
  if (!buffer_fits(buffer, buffer->cursor, bytes)) buffer_reserve_slowly(buffer, bytes, recorder_now(recorder), &delta);
  return buffer->chunk;
}
