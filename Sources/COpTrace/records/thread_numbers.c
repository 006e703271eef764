#include "thread_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "COpTraceFields.h"
#include "emit.h"

// Under the lock.
static const thread_buffer *buffer_of(const optrace_recorder *recorder, uint32_t tid) {
  const thread_buffer *ended = NULL;
  for (const thread_buffer *buffer = recorder->known; buffer; buffer = buffer->next_known) {
    if (buffer->live_tid == tid) return buffer;
    if (!buffer->live_tid && buffer->tid == tid) ended = buffer;
  }
  return ended;
}

static seen_thread *seen_of(const optrace_recorder *recorder, uint32_t tid) {
  seen_thread *seen = recorder->seen_threads;
  while (seen && seen->tid != tid) seen = seen->next;
  return seen;
}

uint32_t thread_number_find(optrace_recorder *recorder, uint32_t tid) {
  pthread_mutex_lock(&recorder->lock);
  const thread_buffer *buffer = buffer_of(recorder, tid);
  const seen_thread *seen = buffer ? NULL : seen_of(recorder, tid);
  uint32_t number = buffer ? buffer->thread : seen ? seen->thread : 0;
  pthread_mutex_unlock(&recorder->lock);
  return number;
}

uint32_t thread_number_make(optrace_recorder *recorder, uint32_t tid, const char *name, uint32_t snapshot) {
  pthread_mutex_lock(&recorder->lock);
  const thread_buffer *buffer = buffer_of(recorder, tid);
  seen_thread *seen = buffer ? NULL : seen_of(recorder, tid);
  bool is_new = !buffer && !seen;
  if (is_new && (seen = calloc(1, sizeof *seen))) {
    seen->tid = tid;
    seen->thread = atomic_fetch_add_explicit(&recorder->next_thread, 1, memory_order_relaxed);
    seen->next = recorder->seen_threads;
    recorder->seen_threads = seen;
  }
  uint32_t number = buffer ? buffer->thread : seen ? seen->thread : 0;
  bool is_named_now = seen && (is_new || (name && !seen->is_named));
  if (seen) {
    if (snapshot) seen->snapshot = snapshot;
    seen->is_named |= name != NULL;
  }
  pthread_mutex_unlock(&recorder->lock);
  size_t length = name ? strlen(name) : 0;
  uint32_t high = optrace_thread_named_high((optrace_thread_named_fields){.tid = tid});
  if (is_named_now) optrace_emit_text(recorder, optrace_kind_thread_named, number, high, false, 0, (const uint8_t *)name, length);
  return number;
}

void thread_numbers_forget(optrace_recorder *recorder, uint32_t snapshot) {
  pthread_mutex_lock(&recorder->lock);
  for (seen_thread **link = &recorder->seen_threads; *link;) {
    seen_thread *seen = *link;
    if (seen->snapshot == snapshot) {
      link = &seen->next;
    } else {
      *link = seen->next;
      free(seen);
    }
  }
  pthread_mutex_unlock(&recorder->lock);
}

void thread_numbers_discard(optrace_recorder *recorder) {
  while (recorder->seen_threads) {
    seen_thread *next = recorder->seen_threads->next;
    free(recorder->seen_threads);
    recorder->seen_threads = next;
  }
}
