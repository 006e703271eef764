// Gives a thread its buffer when it records for the first time, and takes it back when the thread ends. The next new thread gets it, and
// the next one that needs a chunk continues the chunk.
#include "buffers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../base/own_lock.h"
#include "../base/thread_name.h"
#include "../stacks/bounds.h"
#include "../storage/chunks.h"
#include "COpTraceFields.h"
#include "words.h"

_Thread_local buffers_of_thread this_thread;
static pthread_key_t exit_key;
static bool has_exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

void buffer_give_back(thread_buffer *buffer) {
  if (buffer->open) chunk_rest(buffer->recorder, buffer->open, buffer_newest(buffer));
  atomic_store_explicit(&buffer->end, NULL, memory_order_relaxed);
  buffer->open = buffer->chunk = NULL;
  buffer->is_asked = false;
}

static void thread_exits(void *unused) {
  (void)unused;
  for (thread_buffer *buffer = this_thread.buffers; buffer; buffer = buffer->next)
    if (buffer->ends) buffer->ends(buffer);
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
    own_lock(&recorder->lock);
    bool keep = !recorder->stopped;
    if (keep) {
      current->live_tid = 0;
      buffer_give_back(current);
      current->next = recorder->idle;
      recorder->idle = current;
    }
    pthread_mutex_unlock(&recorder->lock);
    if (!keep) free(current);
    current = next;
  }
}

// A process has about a thousand TLS keys, and the program may have used them up. Without a key, buffers of ended threads are not
// reused.
static void make_exit_key(void) { has_exit_key = pthread_key_create(&exit_key, thread_exits) == 0; }

uint32_t thread_name_record(const thread_buffer *buffer, uint8_t *out) {
  char name[32];
  own_thread_name(name, sizeof name);
  uint32_t length = (uint32_t)strlen(name);
  uint32_t words = 2 + (length + 7) / 8;
  uint64_t head = record_head(optrace_kind_thread_named, 0, buffer->thread);
  uint64_t word1 = record_lengths(words, length, optrace_thread_named_high((optrace_thread_named_fields){.tid = buffer->tid}));
  memset(out, 0, words * 8);
  memcpy(out, &head, 8);
  memcpy(out + 8, &word1, 8);
  memcpy(out + 16, name, length);
  return words * 8;
}

// A snapshot may already have given the thread a number. The caller holds the recorder's lock.
static uint32_t number_of(optrace_recorder *recorder, uint32_t tid) {
  for (seen_thread *seen = recorder->seen_threads; seen; seen = seen->next)
    if (seen->tid == tid) return seen->thread;
  return recorder_next_thread(recorder);
}

thread_buffer *buffer_acquire(optrace_recorder *recorder) {
  if (this_thread.exits >= PTHREAD_DESTRUCTOR_ITERATIONS) {
    recorder_count_lost(recorder, optrace_loss_thread_exited, 1);
    return NULL;
  }
  for (thread_buffer **link = &this_thread.buffers; *link;) {
    thread_buffer *found = *link;
    if (found->recorder == recorder) {
      *link = found->next;
      found->next = this_thread.buffers;
      this_thread.buffers = found;
      return found;
    }
    if (found->recorder->stopped) {  // Not earlier, because the flusher may read the buffer until then.
      *link = found->next;
      free(found);
      continue;
    }
    link = &found->next;
  }

  pthread_once(&exit_once, make_exit_key);
  if (has_exit_key) pthread_setspecific(exit_key, &this_thread);
  own_lock(&recorder->lock);
  thread_buffer *buffer = recorder->idle;
  if (buffer) recorder->idle = buffer->next;
  pthread_mutex_unlock(&recorder->lock);
  if (!buffer) {
    buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
      recorder_count_lost(recorder, optrace_loss_no_space, 1);
      return NULL;
    }
  }
  uint32_t tid = optrace_thread_id();
  uint64_t stack_high = stack_own_bounds().high;
  own_lock(&recorder->lock);
  // Under the lock: others search the known buffers for a thread, and this may be one of them.
  buffer->tid = tid;
  buffer->stack_high = stack_high;
  if (!buffer->recorder) {
    buffer->recorder = recorder;
    buffer->next_known = recorder->known;
    recorder->known = buffer;
  }
  buffer->live_tid = buffer->tid;
  atomic_store_explicit(&buffer->may_share, shared_at_first, memory_order_relaxed);
  buffer->thread = this_thread.ended_recorder == recorder ? this_thread.ended_thread : number_of(recorder, buffer->tid);
  pthread_mutex_unlock(&recorder->lock);
  buffer->next = this_thread.buffers;
  this_thread.buffers = buffer;
  return buffer;
}

thread_buffer *buffer_known(const optrace_recorder *recorder) {
  thread_buffer *buffer = this_thread.buffers;
  while (buffer && buffer->recorder != recorder) buffer = buffer->next;
  return buffer;
}

uint32_t thread_number(optrace_recorder **recorder) {
  if (this_thread.buffers && !*recorder) *recorder = this_thread.buffers->recorder;
  thread_buffer *buffer = buffer_known(*recorder);
  return buffer ? buffer->thread : 0;
}
