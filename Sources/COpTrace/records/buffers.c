// A thread comes to a recorder, and ends: a thread_buffer outlives it, and goes to the next one.
#include "buffers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../stacks/bounds.h"
#include "COpTraceFields.h"
#include "words.h"

_Thread_local buffers_of_thread this_thread;
static pthread_key_t exit_key;
static bool has_exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void thread_exits(void *unused) {
  (void)unused;
  for (thread_buffer *l = this_thread.buffers; l; l = l->next)
    if (l->ends) l->ends(l);
  this_thread.exits += 1;
  thread_buffer *current = this_thread.buffers;
  this_thread.buffers = NULL;
  if (current) {
    this_thread.ended_recorder = current->recorder;
    this_thread.ended_thread = current->thread;
  }
  while (current) {
    thread_buffer *next = current->next;
    optrace_recorder *recorder = current->recorder;
    pthread_mutex_lock(&recorder->lock);
    bool keep = !recorder->stopped;
    if (keep) {
      current->live_tid = 0;
      current->next = recorder->idle;
      recorder->idle = current;
    }
    pthread_mutex_unlock(&recorder->lock);
    if (!keep) free(current);
    current = next;
  }
}

// A process has some hundred keys, and the host may have used them up: then buffers of ended threads are not used again.
static void make_exit_key(void) { has_exit_key = pthread_key_create(&exit_key, thread_exits) == 0; }

uint32_t thread_name_record(const thread_buffer *l, uint8_t *out) {
  char name[32];
  if (pthread_getname_np(pthread_self(), name, sizeof name) != 0) name[0] = 0;
  uint32_t length = (uint32_t)strlen(name);
  uint32_t words = 2 + (length + 7) / 8;
  uint64_t head = record_head(optrace_kind_thread_named, 0, l->thread);
  uint64_t word1 = record_lengths(words, length, optrace_thread_named_high((optrace_thread_named_fields){.tid = l->tid}));
  memset(out, 0, words * 8);
  memcpy(out, &head, 8);
  memcpy(out + 8, &word1, 8);
  memcpy(out + 16, name, length);
  return words * 8;
}

static void take_over(thread_buffer *l) {
  // The rest of an ended thread's chunk goes on with this thread's records.
  uint8_t buffer[16 + longest_name_record];
  optrace_thread_switched_fields fields = {.tid = l->tid};
  uint64_t words[2] = {record_head(optrace_kind_thread_switched, 0, l->thread), optrace_thread_switched_word1(fields)};
  memcpy(buffer, words, 16);
  uint32_t bytes = 16 + thread_name_record(l, buffer + 16);
  if (l->cursor + bytes <= l->end) {
    memcpy(l->cursor, buffer, bytes);
    buffer_commit(l, l->cursor + bytes);
  } else {
    l->end = l->cursor;  // No room: the first record takes a new chunk.
  }
}

// The recorder may have given the thread a number already, when it looked at all of them. The lock is held.
static uint32_t number_of(optrace_recorder *recorder, uint32_t tid) {
  for (seen_thread *seen = recorder->seen_threads; seen; seen = seen->next)
    if (seen->tid == tid) return seen->thread;
  return atomic_fetch_add_explicit(&recorder->next_thread, 1, memory_order_relaxed);
}

thread_buffer *buffer_acquire(optrace_recorder *recorder) {
  if (this_thread.exits >= PTHREAD_DESTRUCTOR_ITERATIONS) {
    recorder_count_lost(recorder, optrace_loss_thread_exited, 1);
    return NULL;
  }
  for (thread_buffer **place = &this_thread.buffers; *place;) {
    thread_buffer *found = *place;
    if (found->recorder == recorder) {
      *place = found->next;
      found->next = this_thread.buffers;
      this_thread.buffers = found;
      return found;
    }
    if (found->recorder->stopped) {  // Until then its flusher may look at the thread_buffer.
      *place = found->next;
      free(found);
      continue;
    }
    place = &found->next;
  }

  pthread_once(&exit_once, make_exit_key);
  if (has_exit_key) pthread_setspecific(exit_key, &this_thread);
  pthread_mutex_lock(&recorder->lock);
  thread_buffer *l = recorder->idle;
  if (l) recorder->idle = l->next;
  pthread_mutex_unlock(&recorder->lock);
  bool adopted = l && l->chunk;
  if (!l) {
    l = calloc(1, sizeof *l);
    if (!l) {
      recorder_count_lost(recorder, optrace_loss_no_space, 1);
      return NULL;
    }
  }
  l->tid = optrace_thread_id();
  l->stack_high = stack_own_bounds().high;
  pthread_mutex_lock(&recorder->lock);
  if (!l->recorder) {
    l->recorder = recorder;
    l->next_known = recorder->known;
    recorder->known = l;
  }
  l->live_tid = l->tid;
  l->thread = this_thread.ended_recorder == recorder ? this_thread.ended_thread : number_of(recorder, l->tid);
  pthread_mutex_unlock(&recorder->lock);
  l->next = this_thread.buffers;
  this_thread.buffers = l;
  if (adopted) take_over(l);
  return l;
}

thread_buffer *buffer_known(const optrace_recorder *recorder) {
  thread_buffer *l = this_thread.buffers;
  while (l && l->recorder != recorder) l = l->next;
  return l;
}

uint32_t thread_number(optrace_recorder **recorder) {
  if (this_thread.buffers && !*recorder) *recorder = this_thread.buffers->recorder;
  thread_buffer *l = buffer_known(*recorder);
  return l ? l->thread : 0;
}
