#include "thread_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/own_lock.h"
#include "../base/small_file.h"
#include "COpTraceFields.h"
#include "emit.h"

// The caller holds the lock. Prefers a live thread to one that has ended and had the same id.
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

static void write_name(optrace_recorder *recorder, uint32_t number, uint32_t tid, const char *name) {
  uint32_t high = optrace_thread_named_high((optrace_thread_named_fields){.tid = tid});
  optrace_emit_text(recorder, optrace_kind_thread_named, number, high, false, 0, (const uint8_t *)name, strlen(name));
}

uint32_t thread_number_make(optrace_recorder *recorder, uint32_t tid, const char *name, uint32_t snapshot) {
  own_lock(&recorder->lock);
  const thread_buffer *buffer = buffer_of(recorder, tid);
  seen_thread *seen = buffer ? NULL : seen_of(recorder, tid);
  bool is_new = !buffer && !seen;
  if (is_new && (seen = calloc(1, sizeof *seen))) {
    seen->tid = tid;
    seen->thread = recorder_next_thread(recorder);
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
  if (is_named_now) write_name(recorder, number, tid, name ? name : "");
  return number;
}

// The result is empty if the name cannot be read.
static void read_name(uint32_t tid, char *out, size_t size) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
  small_file_read(path, out, size);
  out[strcspn(out, "\n")] = 0;
}

uint32_t thread_number_named(optrace_recorder *recorder, uint32_t tid, bool again) {
  own_lock(&recorder->lock);
  const thread_buffer *buffer = buffer_of(recorder, tid);
  const seen_thread *seen = buffer ? NULL : seen_of(recorder, tid);
  uint32_t number = buffer ? buffer->thread : seen ? seen->thread : 0;
  bool is_named = buffer || (seen && seen->is_named);
  pthread_mutex_unlock(&recorder->lock);
  if (is_named && (buffer || !again)) return number;
  char name[32];
  read_name(tid, name, sizeof name);
  if (!is_named) return thread_number_make(recorder, tid, name, 0);
  write_name(recorder, number, tid, name);
  return number;
}

void thread_numbers_forget(optrace_recorder *recorder, uint32_t snapshot) {
  own_lock(&recorder->lock);
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
