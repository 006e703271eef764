// The flight recorder: all chunks have the same size, and the one whose last record is the oldest is reused first. So all records after
// the newest overwritten one are there, of every thread: `complete since` in the header.
#include "ring.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/own_lock.h"
#include "../base/seal.h"
#include "rests.h"

static chunk_header *chunk_at(const optrace_recorder *recorder, uint32_t index) {
  return (chunk_header *)(void *)(recorder->base + optrace_header_size + (uint64_t)index * recorder->ring_chunk);
}

static uint32_t index_of(const optrace_recorder *recorder, const chunk_header *chunk) {
  return (uint32_t)(((const uint8_t *)chunk - recorder->base - optrace_header_size) / recorder->ring_chunk);
}

// Many chunks, so that many threads can record at once, and recycling one takes microseconds. But each chunk repeats the thread's name,
// and a reader of the living ring looks at every chunk.
static uint32_t chunk_size(uint64_t room) {
  enum { smallest = 2048, largest = 256 * 1024, many = 2048, few = 1024, pages = 4096 };
  uint32_t size = smallest;
  while (size < largest && room / size >= (size < pages ? few : many)) size *= 2;
  return size;
}

bool ring_prepare(optrace_recorder *recorder) {
  uint64_t room = recorder->options.capacity - optrace_header_size;
  uint32_t size = chunk_size(room);
  recorder->ring_chunk = size;
  recorder->ring_count = (uint32_t)(room / size);
  recorder->ring_free = calloc(recorder->ring_count, sizeof *recorder->ring_free);
  recorder->ring_retired = calloc(recorder->ring_count, sizeof *recorder->ring_retired);
  recorder->ring_seen = calloc(recorder->ring_count, sizeof *recorder->ring_seen);
  recorder->ring_carried = calloc(recorder->ring_count, sizeof *recorder->ring_carried);
  recorder->ring_copy = malloc(size);
  if (!recorder->ring_free || !recorder->ring_retired || !recorder->ring_seen || !recorder->ring_carried || !recorder->ring_copy)
    return false;
  for (uint32_t i = 0; i < recorder->ring_count; i++)
    recorder->ring_free[recorder->ring_free_count++] = recorder->ring_count - 1 - i;
  return true;
}

void ring_discard(optrace_recorder *recorder) {
  free(recorder->ring_free);
  free(recorder->ring_retired);
  free(recorder->ring_seen);
  free(recorder->ring_carried);
  free(recorder->ring_copy);
  recorder->ring_free = NULL;
  recorder->ring_retired = NULL;
  recorder->ring_seen = NULL;
  recorder->ring_carried = NULL;
  recorder->ring_copy = NULL;
  if (recorder->options.discard) recorder->options.discard(recorder->options.context);
}

void ring_note_missing(optrace_recorder *recorder, uint64_t ticks) {
  if (!recorder->base) return;
  _Atomic uint64_t *word = header_word(recorder, optrace_header_complete_since);
  uint64_t since = atomic_load_explicit(word, memory_order_relaxed);
  while (since < ticks && !atomic_compare_exchange_weak_explicit(word, &since, ticks, memory_order_relaxed, memory_order_relaxed)) {}
}

// ---- Recycling -----------------------------------------------------------------------------------------------------

// The caller holds `recycling`.
static void scan_chunk(optrace_recorder *recorder, const chunk_header *chunk) {
  if (chunk->kind != optrace_chunk_kind_events) return;
  uint32_t *seen = &recorder->ring_seen[index_of(recorder, chunk)], bytes = (uint32_t)sizeof *chunk + atomic_load(&chunk->fill);
  if (*seen < bytes) recorder->options.scan(recorder, recorder->options.context, (const uint8_t *)chunk, bytes, *seen);
  *seen = bytes;
}

// The next retired chunk that was not scanned. Only a holder of `recycling` takes chunks from the list, so it stays there without `lock`.
static chunk_header *next_to_scan(optrace_recorder *recorder) {
  own_lock(&recorder->lock);
  chunk_header *next = NULL;
  if (recorder->ring_scanned < recorder->ring_retired_count) {
    uint32_t slot = (recorder->ring_retired_head + recorder->ring_scanned++) % recorder->ring_count;
    next = chunk_at(recorder, recorder->ring_retired[slot].index);
  }
  pthread_mutex_unlock(&recorder->lock);
  return next;
}

// False: all have been scanned. The caller holds `recycling`.
static bool scan_next(optrace_recorder *recorder) {
  chunk_header *chunk = next_to_scan(recorder);
  if (!chunk) return false;
  scan_chunk(recorder, chunk);
  chunk_seal(chunk);
  return true;
}

void ring_scan_chunk(optrace_recorder *recorder, const chunk_header *chunk) {
  own_lock(&recorder->recycling);
  scan_chunk(recorder, chunk);
  pthread_mutex_unlock(&recorder->recycling);
}

void ring_scan(optrace_recorder *recorder) {
  for (bool is_more = true; is_more;) {
    own_lock(&recorder->recycling);
    is_more = scan_next(recorder);
    pthread_mutex_unlock(&recorder->recycling);
  }
}

// When the last record of the oldest chunk in the lists was written. The caller holds `lock`.
static uint64_t oldest_ticks(const optrace_recorder *recorder) {
  uint64_t retired = recorder->ring_retired_count ? recorder->ring_retired[recorder->ring_retired_head].last_ticks : UINT64_MAX;
  uint64_t rest = recorder->rests_count ? recorder->rests[0].last_ticks : UINT64_MAX;
  return retired < rest ? retired : rest;
}

// If the chunk that threads share is older than all in the lists, puts it there: nobody has shared it for long.
static void give_up_shared(optrace_recorder *recorder) {
  shared_chunk *shared = &recorder->shared;
  if (own_trylock(&shared->lock) != 0) return;
  own_lock(&recorder->lock);
  if (shared->chunk && shared->last_ticks < oldest_ticks(recorder) && rests_add(recorder, shared->chunk, shared->last_ticks)) {
    recorder->settled += atomic_load_explicit(&shared->chunk->fill, memory_order_relaxed);
    shared->chunk = NULL;
  }
  pthread_mutex_unlock(&recorder->lock);
  pthread_mutex_unlock(&shared->lock);
}

// Takes the chunk whose last record is the oldest from the lists. Null: there is none. `last_ticks`: those of that record.
static chunk_header *take_oldest(optrace_recorder *recorder, uint64_t *last_ticks) {
  chunk_header *chunk = NULL;
  own_lock(&recorder->lock);
  bool has_retired = recorder->ring_retired_count > 0;
  retired_chunk first = recorder->ring_retired[recorder->ring_retired_head];
  if (recorder->rests_count && (!has_retired || recorder->rests[0].last_ticks < first.last_ticks)) {
    chunk = rests_take_oldest(recorder, last_ticks);
  } else if (has_retired) {
    recorder->ring_retired_head = (recorder->ring_retired_head + 1) % recorder->ring_count;
    recorder->ring_retired_count--;
    if (recorder->ring_scanned) recorder->ring_scanned--;
    *last_ticks = first.last_ticks;
    chunk = chunk_at(recorder, first.index);
    if (chunk->kind == optrace_chunk_kind_carried) recorder->ring_retired_carried--;
  }
  pthread_mutex_unlock(&recorder->lock);
  return chunk;
}

// The chunk with this index, if it may have records up to these ticks. Under `lock`, since a thread may be taking it.
static const chunk_header *older_chunk(optrace_recorder *recorder, uint32_t index, uint64_t ticks) {
  const chunk_header *chunk = chunk_at(recorder, index);
  own_lock(&recorder->lock);
  bool is_older = chunk->magic == optrace_chunk_magic && chunk->kind == optrace_chunk_kind_events && chunk->base_ticks <= ticks &&
                  atomic_load(&chunk->state) != optrace_chunk_state_recycling;
  pthread_mutex_unlock(&recorder->lock);
  return is_older ? chunk : NULL;
}

// Scans all records up to these ticks, also in chunks that are still written: a record is carried only if the beginning that it belongs to
// was scanned, and another thread may have recorded that. A beginning is published before anybody can record more of the same thing. The
// caller holds `recycling`.
static void scan_older(optrace_recorder *recorder, uint64_t ticks) {
  // One pass for each of so many parts of the ring, and not one for each chunk.
  enum { parts = 8 };
  if (ticks <= recorder->ring_scanned_until) return;
  uint64_t now = recorder_now(recorder), until = ticks < now ? ticks + (now - ticks) / parts : ticks;
  for (uint32_t index = 0; index < recorder->ring_count; index++) {
    const chunk_header *chunk = older_chunk(recorder, index, until);
    if (chunk) scan_chunk(recorder, chunk);
  }
  recorder->ring_scanned_until = until;
}

typedef enum { recycled_none, recycled_events, recycled_carried } recycled;

// The caller holds `recycling`.
static recycled recycle(optrace_recorder *recorder) {
  uint64_t last_ticks;
  give_up_shared(recorder);
  chunk_header *chunk = take_oldest(recorder, &last_ticks);
  if (!chunk) return recycled_none;
  scan_chunk(recorder, chunk);
  scan_older(recorder, last_ticks);
  if (chunk->kind == optrace_chunk_kind_events) ring_note_missing(recorder, last_ticks);
  atomic_store_explicit(&chunk->state, optrace_chunk_state_recycling, memory_order_seq_cst);
  uint32_t fill = atomic_load(&chunk->fill), bytes = (uint32_t)sizeof *chunk + fill;
  memcpy(recorder->ring_copy, chunk, bytes);
  uint32_t index = index_of(recorder, chunk);
  uint32_t seen = recorder->ring_carried[index];
  recorder->ring_carried[index] = recorder->ring_seen[index] = 0;
  recorder->carries_again = chunk->kind == optrace_chunk_kind_carried;
  if (recorder->carries_again) recorder->carried_bytes -= fill < recorder->carried_bytes ? fill : recorder->carried_bytes;
  own_lock(&recorder->lock);
  recorder->ring_free[recorder->ring_free_count++] = index;
  pthread_mutex_unlock(&recorder->lock);

  uint64_t before = recorder->carried_bytes;
  recorder->options.carry(recorder, recorder->options.context, recorder->ring_copy, bytes, seen, UINT64_MAX);
  uint64_t kept = recorder->carried_bytes - before;
  if (kept < fill)
    atomic_fetch_add_explicit(header_word(recorder, optrace_header_overwritten_bytes), fill - kept, memory_order_relaxed);
  return recorder->carries_again ? recycled_carried : recycled_events;
}

// The caller holds `recycling`. The chunk's thread may be writing more, behind what is published.
static void carry_older(optrace_recorder *recorder, uint32_t index, uint64_t until) {
  const chunk_header *chunk = older_chunk(recorder, index, until);
  if (!chunk) return;
  scan_chunk(recorder, chunk);
  recorder->carries_again = false;
  recorder->ring_carried[index] = recorder->options.carry(recorder, recorder->options.context, (const uint8_t *)chunk,
                                                          recorder->ring_seen[index], recorder->ring_carried[index], until);
}

void ring_carry_ahead(optrace_recorder *recorder) {
  uint64_t until = ring_complete_since(recorder);
  own_lock(&recorder->recycling);
  scan_older(recorder, until);
  pthread_mutex_unlock(&recorder->recycling);
  for (uint32_t index = 0; until && index < recorder->ring_count; index++) {
    own_lock(&recorder->recycling);
    carry_older(recorder, index, until);
    pthread_mutex_unlock(&recorder->recycling);
  }
}

static bool has_enough(optrace_recorder *recorder) {
  own_lock(&recorder->lock);
  if (recorder->ring_free_count >= ring_ready(recorder) / 2)
    atomic_fetch_add_explicit(&recorder->has_room_again, 1, memory_order_relaxed);
  bool is_enough = recorder->stopping || recorder->ring_free_count >= ring_ready(recorder);
  pthread_mutex_unlock(&recorder->lock);
  return is_enough;
}

void ring_recycle_ahead(optrace_recorder *recorder) {
  enum { most_carried = 16 };
  ring_scan(recorder);
  recycled last = recycled_events;
  // Not without end: what was carried is often carried again as a whole.
  for (int carried = 0; carried < most_carried && last != recycled_none && !has_enough(recorder); carried += last == recycled_carried) {
    own_lock(&recorder->recycling);
    last = recycle(recorder);
    pthread_mutex_unlock(&recorder->recycling);
    ring_scan(recorder);
  }
}

// False: somebody else holds it. Waits a little, where the system can.
static bool lock_soon(pthread_mutex_t *mutex) {
#if defined(__linux__)
  enum { longest = 2000000, a_second = 1000000000 };
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += longest;
  if (until.tv_nsec >= a_second) until.tv_nsec -= a_second, until.tv_sec++;
  return pthread_mutex_timedlock(mutex, &until) == 0;
#else
  if (own_trylock(mutex) == 0) return true;
  sched_yield();
  return false;
#endif
}

ring_help_result ring_help(optrace_recorder *recorder) {
  if (!lock_soon(&recorder->recycling)) return ring_is_busy;
  bool is_done = false;
  if (!atomic_load_explicit(&recorder->stopped, memory_order_acquire) && recorder->ring_copy) {
    scan_next(recorder);
    is_done = recycle(recorder) != recycled_none;
  }
  pthread_mutex_unlock(&recorder->recycling);
  return is_done ? ring_recycled : ring_has_none;
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

chunk_header *ring_take_reserved(optrace_recorder *recorder) {
  if (recorder->ring_free_count == 0) return NULL;
  uint32_t index = recorder->ring_free[--recorder->ring_free_count];
  chunk_header *chunk = chunk_at(recorder, index);
  // Change these first: a reader that has copied the old records then sees another sequence number or state, and drops its copy.
  chunk->sequence = recorder->sequence++;
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(&chunk->fill, 0, memory_order_relaxed);
  chunk->bytes = recorder->ring_chunk;
  chunk->checksum = 0;
  atomic_store_explicit((_Atomic uint32_t *)(void *)&chunk->magic, optrace_chunk_magic, memory_order_release);
  uint64_t end = optrace_header_size + (uint64_t)(index + 1) * recorder->ring_chunk;
  if (end > atomic_load_explicit(&recorder->used, memory_order_relaxed)) {
    atomic_store_explicit(&recorder->used, end, memory_order_relaxed);
    atomic_store_explicit(header_word(recorder, optrace_header_end_offset), end, memory_order_release);
  }
  if (recorder->ring_free_count < ring_ready(recorder) / 2) pthread_cond_signal(&recorder->wake);
  return chunk;
}

chunk_header *ring_take(optrace_recorder *recorder, bool is_earned) {
  uint32_t left = is_earned ? ring_least_reserve(recorder) : ring_reserve(recorder);
  return recorder->ring_free_count > left ? ring_take_reserved(recorder) : NULL;
}

void ring_retire(optrace_recorder *recorder, const chunk_header *chunk, uint64_t last_ticks) {
  uint32_t slot = (recorder->ring_retired_head + recorder->ring_retired_count++) % recorder->ring_count;
  if (chunk->kind == optrace_chunk_kind_carried) recorder->ring_retired_carried++;
  // The flusher scans them now and then. Once the ring is full that would be too much at once, on a busy machine.
  enum { unscanned = 16 };
  if ((recorder->ring_retired_count - recorder->ring_scanned) % unscanned == 0) pthread_cond_signal(&recorder->wake);
  recorder->ring_retired[slot] = (retired_chunk){index_of(recorder, chunk), last_ticks};
}
