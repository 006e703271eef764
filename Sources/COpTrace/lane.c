// The hot path: a thread stores a record into the chunk that it owns. No lock, no allocation, no shared cache line.
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

typedef struct {
  lane *lanes;
  // How often its destructor has run. Other destructors may still record something, such as an object that goes with
  // the thread; the system then calls ours again, so many times and no more: what comes after is lost.
  uint32_t exits;
  // What it was called before.
  const optrace_recorder *ended_recorder;
  uint32_t ended_thread;
} thread_state;

// In the block that every thread has from its beginning: finding it is no call, and it is small enough for what is left there
// when the recorder is loaded late. Other systems than glibc keep nothing for that.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local thread_state self;
static pthread_key_t exit_key;
static bool has_exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

// ---- A thread comes and goes ---------------------------------------------------------------------------------------

static void thread_exits(void *unused) {
  (void)unused;
  for (lane *l = self.lanes; l; l = l->next) wait_abandon(l);
  self.exits += 1;
  lane *current = self.lanes;
  self.lanes = NULL;
  if (current) {
    self.ended_recorder = current->recorder;
    self.ended_thread = current->thread;
  }
  while (current) {
    lane *next = current->next;
    optrace_recorder *recorder = current->recorder;
    pthread_mutex_lock(&recorder->lock);
    bool keep = !recorder->stopped;
    if (keep) {
      current->next = recorder->idle;
      recorder->idle = current;
    }
    pthread_mutex_unlock(&recorder->lock);
    if (!keep) free(current);
    current = next;
  }
}

// A process has some hundred keys, and the host may have used them up: then lanes of ended threads are not used again.
static void make_exit_key(void) { has_exit_key = pthread_key_create(&exit_key, thread_exits) == 0; }

uint32_t thread_record(uint8_t *out, uint32_t thread, uint32_t tid, const char *name) {
  uint32_t length = (uint32_t)strlen(name);
  uint32_t words = 2 + (length + 7) / 8;
  uint64_t head = optrace_kind_thread_named | (uint64_t)thread << 32;
  uint64_t word1 = words | (uint64_t)length << 16 | (uint64_t)tid << 32;
  memset(out, 0, words * 8);
  memcpy(out, &head, 8);
  memcpy(out + 8, &word1, 8);
  memcpy(out + 16, name, length);
  return words * 8;
}

static void thread_name(char out[32]) {
  out[0] = 0;
  if (pthread_getname_np(pthread_self(), out, 32) != 0) out[0] = 0;
}

// Records of chunks are visible once `fill` covers them.
static inline void commit(lane *l, uint8_t *end) {
  l->cursor = end;
  atomic_store_explicit(&l->chunk->fill, (uint32_t)(end - (uint8_t *)l->chunk - sizeof(chunk_header)),
                        memory_order_release);
}

static void take_over(lane *l) {
  // The rest of an ended thread's chunk goes on with this thread's records.
  uint8_t buffer[16 + 64];
  char name[32];
  thread_name(name);
  uint64_t head = optrace_kind_thread_switched | (uint64_t)l->thread << 32;
  uint64_t tid = l->tid;
  memcpy(buffer, &head, 8);
  memcpy(buffer + 8, &tid, 8);
  uint32_t bytes = 16 + thread_record(buffer + 16, l->thread, l->tid, name);
  if (l->cursor + bytes <= l->end) {
    memcpy(l->cursor, buffer, bytes);
    commit(l, l->cursor + bytes);
  } else {
    l->end = l->cursor;  // No room: the first record takes a new chunk.
  }
}

// The lane of this thread for this recorder; the first time it is made.
static __attribute__((noinline)) lane *lane_acquire(optrace_recorder *recorder) {
  if (self.exits >= PTHREAD_DESTRUCTOR_ITERATIONS) {
    recorder_count_lost(recorder, optrace_loss_thread_exited, 1);
    return NULL;
  }
  for (lane **place = &self.lanes; *place;) {
    lane *found = *place;
    if (found->recorder == recorder) {
      *place = found->next;
      found->next = self.lanes;
      self.lanes = found;
      return found;
    }
    if (found->recorder->stopped) {  // Until then its keeper may look at the lane.
      *place = found->next;
      free(found);
      continue;
    }
    place = &found->next;
  }

  pthread_once(&exit_once, make_exit_key);
  if (has_exit_key) pthread_setspecific(exit_key, &self);
  pthread_mutex_lock(&recorder->lock);
  lane *l = recorder->idle;
  if (l) recorder->idle = l->next;
  pthread_mutex_unlock(&recorder->lock);
  bool adopted = l && l->chunk;
  if (!l) {
    l = calloc(1, sizeof *l);
    if (!l) {
      recorder_count_lost(recorder, optrace_loss_no_space, 1);
      return NULL;
    }
    l->recorder = recorder;
  }
  l->thread = self.ended_recorder == recorder
                  ? self.ended_thread
                  : atomic_fetch_add_explicit(&recorder->next_thread, 1, memory_order_relaxed);
  l->tid = optrace_thread_id();
  l->next = self.lanes;
  self.lanes = l;
  if (adopted) take_over(l);
  return l;
}

// ---- The slow path: a new chunk ------------------------------------------------------------------------------------

void recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count) {
  if (!recorder->base) return;
  atomic_fetch_add_explicit(header_word(recorder, optrace_header_loss + 8 * reason), count, memory_order_relaxed);
}

static bool lose(lane *l, uint32_t reason) {
  l->lost += 1;
  l->lost_reason = reason;
  l->end = l->cursor;  // A smaller record that would still fit must not follow the loss without its mark.
  recorder_count_lost(l->recorder, reason, 1);
  return false;
}

static void show(lane *l, chunk_header *chunk) {
  if (!l->open) {
    l->next_known = l->recorder->known;
    l->recorder->known = l;
  }
  l->open = chunk;
}

static bool refill(lane *l, uint32_t needed, uint64_t ticks) {
  enum { first_chunk = 2048, largest_chunk = 256 * 1024, own_records = 16 + 64 };
  optrace_recorder *recorder = l->recorder;
  uint64_t retry_at = atomic_load_explicit(&recorder->retry_at, memory_order_relaxed);
  if (unlikely(retry_at && optrace_clock_monotonic() < retry_at)) return lose(l, recorder->failure);

  uint32_t bytes = l->chunk_size ? l->chunk_size : first_chunk;
  uint32_t least = (uint32_t)sizeof(chunk_header) + needed + own_records;
  if (bytes < least) bytes = (least + 63) & ~63u;
  chunk_header *chunk;
  for (;;) {
    pthread_mutex_lock(&recorder->lock);
    if (recorder->stopping || !atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) {
      pthread_mutex_unlock(&recorder->lock);
      return false;  // Not a loss: the recorder was stopped.
    }
    chunk = chunk_take(recorder, bytes, chunk_events, l->thread, ticks);
    if (chunk && l->chunk) chunk_retire(recorder, l->chunk);
    if (chunk) show(l, chunk);
    pthread_mutex_unlock(&recorder->lock);
    if (chunk) break;
    if (recorder->options.ring) return lose(l, optrace_loss_no_space);
    if (!file_grow(recorder, bytes, false)) {
      if (bytes > first_chunk && least <= first_chunk) {
        bytes = first_chunk;  // The last bit of space, too.
        l->chunk_size = 0;
        continue;
      }
      if (!atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) return false;  // Stopped meanwhile.
      return lose(l, recorder->failure);
    }
  }

  l->chunk = chunk;
  l->end = (uint8_t *)chunk + chunk->bytes;
  l->last_ticks = ticks;
  l->chunk_size = bytes < largest_chunk / 4 ? bytes * 4 : largest_chunk;
  uint8_t *at = (uint8_t *)chunk + sizeof(chunk_header);
  if (l->lost) {
    uint64_t head = optrace_kind_lost | (uint64_t)l->lost_reason << 32;
    memcpy(at, &head, 8);
    memcpy(at + 8, &l->lost, 8);
    at += 16;
    l->lost = 0;
  }
  char name[32];
  thread_name(name);
  at += thread_record(at, l->thread, l->tid, name);
  commit(l, at);
  return true;
}

// No room, or too long since the last record. Returns where the record goes.
static __attribute__((noinline)) uint8_t *reserve_slowly(lane *l, uint32_t bytes, uint64_t now, uint64_t *delta) {
  bool far = *delta > 0xFFFFFF;
  if ((size_t)(l->end - l->cursor) < bytes + (far ? 16 : 0)) {
    if (!refill(l, bytes, now)) return NULL;
  } else if (far) {
    uint64_t head = optrace_kind_time;
    memcpy(l->cursor, &head, 8);
    memcpy(l->cursor + 8, &now, 8);
    l->cursor += 16;  // Becomes visible with the record that follows.
  }
  *delta = 0;
  return l->cursor;
}

// ---- The hot path --------------------------------------------------------------------------------------------------

static inline lane *find_lane(optrace_recorder *recorder) {
  lane *l = self.lanes;
  return likely(l && l->recorder == recorder) ? l : lane_acquire(recorder);
}

static inline bool is_enabled(const optrace_recorder *recorder) {
  return recorder && atomic_load_explicit(&recorder->enabled, memory_order_relaxed);
}

// The way that nearly all records take: this thread's lane is the first, the clock is the counter, the time is near and
// there is room. Calls nothing, so that nothing has to be saved around calls. Null where it must go the long way.
static inline uint8_t *begin_at_once(optrace_recorder *recorder, lane *l, uint32_t bytes, uint8_t kind,
                                     uint32_t subject) {
  if (unlikely(!l || l->recorder != recorder || !recorder->use_counter)) return NULL;
  uint64_t now = optrace_counter();
  uint64_t delta = now - l->last_ticks;  // Far where the time seems to go back.
  uint8_t *at = l->cursor;
  if (unlikely(delta > 0xFFFFFF || (size_t)(l->end - at) < bytes)) return NULL;
  l->last_ticks = now;
  uint64_t head = kind | delta << 8 | (uint64_t)subject << 32;
  memcpy(at, &head, 8);
  return at;
}

// Takes the time, finds room and stores the first word.
static inline uint8_t *begin(optrace_recorder *recorder, lane **out, uint32_t bytes, uint8_t kind, uint32_t subject) {
  lane *l = *out = find_lane(recorder);
  if (unlikely(!l)) return NULL;
  uint64_t now = recorder_now(recorder);
  if (unlikely(now < l->last_ticks)) now = l->last_ticks;  // The thread moved to a core that is some ticks behind.
  uint64_t delta = now - l->last_ticks;
  uint8_t *at = l->cursor;
  if (unlikely(delta > 0xFFFFFF || (size_t)(l->end - at) < bytes)) {
    at = reserve_slowly(l, bytes, now, &delta);
    if (!at) return NULL;
  }
  l->last_ticks = now;
  uint64_t head = kind | delta << 8 | (uint64_t)subject << 32;
  memcpy(at, &head, 8);
  return at;
}

lane *lane_find(optrace_recorder *recorder) { return find_lane(recorder); }

lane *lane_known(const optrace_recorder *recorder) {
  lane *l = self.lanes;
  while (l && l->recorder != recorder) l = l->next;
  return l;
}

uint32_t lane_thread(optrace_recorder **recorder) {
  if (self.lanes && !*recorder) *recorder = self.lanes->recorder;
  lane *l = lane_known(*recorder);
  return l ? l->thread : 0;
}

static __attribute__((noinline)) void emit1_slowly(optrace_recorder *recorder, uint8_t kind, uint32_t subject) {
  lane *l;
  uint8_t *at = begin(recorder, &l, 8, kind, subject);
  if (likely(at != NULL)) commit(l, at + 8);
}

void optrace_emit1(optrace_recorder *recorder, uint8_t kind, uint32_t subject) {
  if (!is_enabled(recorder)) return;
  lane *l = self.lanes;
  uint8_t *at = begin_at_once(recorder, l, 8, kind, subject);
  if (unlikely(!at)) return emit1_slowly(recorder, kind, subject);
  commit(l, at + 8);
}

void optrace_operation_event(const optrace_operation *operation, uint8_t kind) {
  optrace_recorder *recorder = operation_recorder(operation);
  if (recorder) optrace_emit1(recorder, kind, atomic_load_explicit(&operation->serial, memory_order_relaxed));
}

static __attribute__((noinline)) void emit2_slowly(optrace_recorder *recorder, uint8_t kind, uint32_t subject,
                                                   uint64_t word1) {
  lane *l;
  uint8_t *at = begin(recorder, &l, 16, kind, subject);
  if (unlikely(!at)) return;
  memcpy(at + 8, &word1, 8);
  commit(l, at + 16);
}

void optrace_emit2(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1) {
  if (!is_enabled(recorder)) return;
  lane *l = self.lanes;
  uint8_t *at = begin_at_once(recorder, l, 16, kind, subject);
  if (unlikely(!at)) return emit2_slowly(recorder, kind, subject, word1);
  memcpy(at + 8, &word1, 8);
  commit(l, at + 16);
}

void optrace_operation_event2(const optrace_operation *operation, uint8_t kind, uint64_t word1) {
  optrace_recorder *recorder = operation_recorder(operation);
  if (recorder) optrace_emit2(recorder, kind, atomic_load_explicit(&operation->serial, memory_order_relaxed), word1);
}

void optrace_emit3(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2) {
  if (!is_enabled(recorder)) return;
  lane *l;
  uint8_t *at = begin(recorder, &l, 24, kind, subject);
  if (unlikely(!at)) return;
  memcpy(at + 8, &word1, 8);
  memcpy(at + 16, &word2, 8);
  commit(l, at + 24);
}

enum { age_bits = 40, age_unit = 16 };
static const uint64_t largest_age = ((uint64_t)1 << age_bits) - 1;

static uint64_t age_in_units(uint64_t ticks) {
  uint64_t age = ticks / age_unit;
  return age < largest_age ? age : largest_age;
}

void optrace_emit_aged(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since) {
  enum { age_place = 24 };
  if (!is_enabled(recorder)) return;
  lane *l = self.lanes;
  uint8_t *at = begin_at_once(recorder, l, 16, kind, subject);
  if (unlikely(!at)) at = begin(recorder, &l, 16, kind, subject);
  if (unlikely(!at)) return;
  uint64_t now = l->last_ticks;
  // A recorder that does not use the counter though there is one: its time is another.
  if (unlikely(!recorder->use_counter) && optrace_clock_has_counter()) {
    uint64_t ticks = optrace_counter() - since;
    since = now - (uint64_t)((double)ticks * 1e9 / (double)optrace_clock_frequency());
  }
  word1 |= age_in_units(now > since ? now - since : 0) << age_place;
  memcpy(at + 8, &word1, 8);
  commit(l, at + 16);
}

void emit_since(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since,
                uint32_t thread) {
  if (!is_enabled(recorder)) return;
  lane *l;
  uint8_t *at = begin(recorder, &l, 24, kind, subject);
  if (unlikely(!at)) return;
  uint64_t word2 = age_in_units(l->last_ticks > since ? l->last_ticks - since : 0) | (uint64_t)thread << age_bits;
  memcpy(at + 8, &word1, 8);
  memcpy(at + 16, &word2, 8);
  commit(l, at + 24);
}

static uint8_t *store_text(uint8_t *at, uint32_t words, uint32_t high, bool has_word2, uint64_t word2,
                           const uint8_t *text, size_t length) {
  uint64_t word1 = words | (uint64_t)length << 16 | (uint64_t)high << 32;
  memcpy(at + 8, &word1, 8);
  uint8_t *to = at + 16;
  if (has_word2) {
    memcpy(to, &word2, 8);
    to += 8;
  }
  uint8_t *end = at + words * 8;
  if (to < end) memset(end - 8, 0, 8);
  if (length) memcpy(to, text, length);
  return end;
}

static __attribute__((noinline)) void emit_text_slowly(optrace_recorder *recorder, uint8_t kind, uint32_t subject,
                                                       uint32_t high, bool has_word2, uint64_t word2,
                                                       const uint8_t *text, size_t length) {
  lane *l;
  uint32_t words = 2 + has_word2 + (uint32_t)((length + 7) / 8);
  uint8_t *at = begin(recorder, &l, words * 8, kind, subject);
  if (unlikely(!at)) return;
  commit(l, store_text(at, words, high, has_word2, word2, text, length));
}

static inline void emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                             uint64_t word2, const uint8_t *text, size_t length) {
  lane *l = self.lanes;
  uint32_t words = 2 + has_word2 + (uint32_t)((length + 7) / 8);
  uint8_t *at = begin_at_once(recorder, l, words * 8, kind, subject);
  if (unlikely(!at)) return emit_text_slowly(recorder, kind, subject, high, has_word2, word2, text, length);
  commit(l, store_text(at, words, high, has_word2, word2, text, length));
}

void optrace_emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                       uint64_t word2, const uint8_t *text, size_t length) {
  if (is_enabled(recorder)) emit_text(recorder, kind, subject, high, has_word2, word2, text, length);
}

void optrace_emit_here(optrace_recorder *recorder, uint8_t kind, uint32_t high, const uint8_t *text, size_t length) {
  if (!is_enabled(recorder)) return;
  const optrace_operation *current = optrace_frame_current();
  uint32_t subject = current ? optrace_operation_known(current, recorder) : 0;
  emit_text(recorder, kind, subject, high, false, 0, text, length);
}

bool optrace_define_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, const uint8_t *text,
                         size_t length) {
  if (!is_enabled(recorder)) return false;
  uint32_t words = 2 + (uint32_t)((length + 7) / 8);
  for (bool grown = false;; grown = true) {
    pthread_mutex_lock(&recorder->lock);
    lane *l = &recorder->definitions;
    bool stopping = recorder->stopping;
    if (!stopping && (size_t)(l->end - l->cursor) < words * 8) {
      uint64_t now = recorder_now(recorder);
      uint32_t bytes = l->chunk ? 16 * 1024 : 2048;
      if (bytes < words * 8 + sizeof(chunk_header)) bytes = (words * 8 + (uint32_t)sizeof(chunk_header) + 63) & ~63u;
      chunk_header *chunk = chunk_take(recorder, bytes, chunk_definitions, 0, now);
      if (chunk) {
        if (l->chunk && !recorder->options.ring) chunk_retire(recorder, l->chunk);
        l->chunk = chunk;
        l->cursor = (uint8_t *)chunk + sizeof(chunk_header);
        l->end = (uint8_t *)chunk + chunk->bytes;
      }
    }
    bool fits = !stopping && (size_t)(l->end - l->cursor) >= words * 8;
    if (fits) {
      uint64_t head = kind | (uint64_t)subject << 32;
      memcpy(l->cursor, &head, 8);
      commit(l, store_text(l->cursor, words, 0, false, 0, text, length));
    }
    pthread_mutex_unlock(&recorder->lock);
    if (fits || stopping) return fits;
    if (grown || recorder->options.ring || !file_grow(recorder, 16 * 1024, false)) {
      uint32_t reason = recorder->options.ring ? optrace_loss_no_space : recorder->failure;
      if (is_enabled(recorder)) recorder_count_lost(recorder, reason, 1);
      return false;
    }
  }
}

bool optrace_carry(optrace_recorder *recorder, uint32_t thread, uint32_t thread_tid, uint64_t base_ticks,
                   const uint8_t *records, uint32_t bytes) {
  lane *l = &recorder->carried;
  uint32_t needed = bytes + 32;
  if (needed + sizeof(chunk_header) > recorder->ring_chunk) return false;
  // What has been waiting longest is the likeliest evidence of a hang: a backlog of newer ones must not push it out.
  uint64_t limit = recorder->options.capacity / 8 * (recorder->carries_again ? 4 : 3);
  if (recorder->carried_bytes + needed > limit) return false;
  if ((size_t)(l->end - l->cursor) < needed) {
    chunk_header *chunk = ring_take_free(recorder);
    if (!chunk) return false;
    if (l->chunk) chunk_retire(recorder, l->chunk);
    chunk->thread = thread;
    chunk->kind = chunk_carried;
    chunk->base_ticks = base_ticks;
    atomic_store_explicit(&chunk->state, chunk_open, memory_order_release);
    l->chunk = chunk;
    l->cursor = (uint8_t *)chunk + sizeof(chunk_header);
    l->end = (uint8_t *)chunk + chunk->bytes;
  }
  uint64_t head[4] = {optrace_kind_thread_switched | (uint64_t)thread << 32, thread_tid, optrace_kind_time, base_ticks};
  memcpy(l->cursor, head, 32);
  memcpy(l->cursor + 32, records, bytes);
  commit(l, l->cursor + needed);
  recorder->carried_bytes += needed;
  return true;
}

// ---- Numbers -------------------------------------------------------------------------------------------------------

uint32_t optrace_recorder_next_serial(optrace_recorder *recorder) {
  // Small programs get 1, 2, 3, ...; busy threads take blocks so that they do not share a cache line for each number.
  lane *l = find_lane(recorder);
  if (l && l->serials_left) {
    l->serials_left -= 1;
    return l->next_serial++;
  }
  if (l && l->serial_block < 64) l->serial_block += 1;
  uint32_t count = !l || l->serial_block < 32 ? 1 : 64;
  uint32_t first = atomic_load_explicit(&recorder->next_serial, memory_order_relaxed);
  do {
    if (first > UINT32_MAX - count) {
      recorder_count_lost(recorder, optrace_loss_table_full, 1);
      return 0;
    }
  } while (!atomic_compare_exchange_weak_explicit(&recorder->next_serial, &first, first + count, memory_order_relaxed,
                                                  memory_order_relaxed));
  if (l) {
    l->next_serial = first + 1;
    l->serials_left = count - 1;
  }
  return first;
}
