#include "reclaim.h"

#include "../base/own_lock.h"
#include "../storage/chunks.h"
#include "../storage/ring.h"
#include "buffers.h"

// How many buffers are looked at, and how many chunks are taken, before the lock is released for a moment.
enum { looked_at_once = 64, taken_at_once = 16 };

typedef struct {
  chunk_header *chunk;
  uint64_t last_ticks;
} taken_chunk;

// One look at all threads.
typedef struct {
  optrace_recorder *recorder;
  const thread_buffer *own;  // The flusher's. It writes with each heartbeat, and knows which frames are in its chunk (describe/code.c).
  uint32_t may_ask;          // How many chunks may still be asked for.
  uint8_t may_share;         // How many records threads write to the shared chunk after that.
  taken_chunk taken[taken_at_once];
  int count;
} look;

static void ask(look *at, thread_buffer *buffer) {
  if (!at->may_ask) return;
  at->may_ask--;
  buffer->is_asked = true;
  atomic_store_explicit(&buffer->end, NULL, memory_order_seq_cst);
}

static void take(look *at, thread_buffer *buffer) {
  at->taken[at->count++] = (taken_chunk){buffer->open, buffer_newest(buffer)};
  buffer->open = buffer->chunk = NULL;
  buffer->is_asked = false;
  // Last: a thread that sees it knows that it has no chunk.
  atomic_store_explicit(&buffer->may_share, at->may_share, memory_order_release);
}

// The caller holds the lock.
static void look_at(look *at, thread_buffer *buffer) {
  chunk_header *chunk = buffer->open;
  if (!chunk || buffer == at->own) return;
  uint32_t fill = atomic_load_explicit(&chunk->fill, memory_order_acquire);
  bool is_silent = buffer->fill_seen == fill && buffer->sequence_seen == chunk->sequence;
  buffer->fill_seen = fill;
  buffer->sequence_seen = chunk->sequence;
  if (!is_silent) return;
  if (!buffer->is_asked) ask(at, buffer);
  else if (!atomic_load_explicit(&buffer->is_writing, memory_order_acquire)) take(at, buffer);
}

// Looks at some buffers before `end`, and returns the next one to look at.
static thread_buffer *look_at_some(look *at, thread_buffer *buffer, const thread_buffer *end) {
  at->count = 0;
  own_lock(&at->recorder->lock);
  for (int i = 0; buffer && buffer != end && i < looked_at_once && at->count < taken_at_once; i++, buffer = buffer->next_known)
    look_at(at, buffer);
  if (at->recorder->stopping) buffer = NULL;
  pthread_mutex_unlock(&at->recorder->lock);
  return buffer;
}

static void give_to_others(look *at) {
  // Before anybody continues them: what a thread begins is scanned before what the same thread ends, in its next chunk.
  for (int i = 0; i < at->count; i++) ring_scan_chunk(at->recorder, at->taken[i].chunk);
  own_lock(&at->recorder->lock);
  for (int i = 0; i < at->count; i++) chunk_rest(at->recorder, at->taken[i].chunk, at->taken[i].last_ticks);
  pthread_mutex_unlock(&at->recorder->lock);
}

static void look_from(look *at, thread_buffer *buffer, const thread_buffer *end) {
  while (buffer && buffer != end) {
    bool could_ask = at->may_ask > 0;
    buffer = look_at_some(at, buffer, end);
    if (at->count) give_to_others(at);
    if (could_ask && !at->may_ask) at->recorder->next_to_ask = buffer;
  }
}

void reclaim_idle(optrace_recorder *recorder, bool is_short) {
  look at = {.recorder = recorder, .own = buffer_known(recorder), .may_ask = is_short ? recorder->ring_count / 16 + 1 : UINT32_MAX,
             .may_share = is_short ? 0 : shared_after_silence};
  own_lock(&recorder->lock);
  thread_buffer *newest = recorder->known;
  pthread_mutex_unlock(&recorder->lock);
  // Threads take turns in being asked.
  thread_buffer *first = recorder->next_to_ask ? recorder->next_to_ask : newest;
  look_from(&at, first, NULL);
  if (first != newest) look_from(&at, newest, first);
}
