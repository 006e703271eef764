// Creating and stopping a recorder.
#include "lifecycle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/bounded.h"
#include "../base/filter.h"
#include "../base/leaks.h"
#include "../base/own_lock.h"
#include "../base/wiped.h"
#include "../base/word.h"
#include "../storage/file.h"
#include "../storage/rests.h"
#include "../storage/ring.h"
#include "alive.h"
#include "flusher.h"
#include "snapshot.h"
#include "sources.h"

static void write_header(optrace_recorder *recorder) {
  uint8_t *base = recorder->base;
  memcpy(base, recorder->options.header, recorder->options.header_size);
  uint64_t start[4] = {recorder_now(recorder), optrace_clock_monotonic(), optrace_clock_wall(),
                       recorder->use_counter ? optrace_clock_frequency() : 1000000000};
  memcpy(base + optrace_header_start_ticks, start, sizeof start);
  if (recorder->options.ring) {
    uint64_t capacity = recorder->options.capacity;
    memcpy(base + optrace_header_capacity, &capacity, 8);
  }
  uint64_t checksum = optrace_checksum(0x9E3779B97F4A7C15ull, base, optrace_header_static_checksum);
  memcpy(base + optrace_header_static_checksum, &checksum, 8);
  uint32_t open = optrace_file_state_open;
  memcpy(base + optrace_header_state, &open, 4);
  uint64_t end = optrace_header_size;
  memcpy(base + optrace_header_end_offset, &end, 8);
}

static bool stop_by_flusher(optrace_recorder *recorder);

optrace_recorder *optrace_recorder_create(const optrace_options *options) {
  // The memory is zero in a forked child, so `enabled` is false there and nothing is recorded.
  optrace_recorder *recorder = wiped_pages(sizeof *recorder);
  if (!recorder) {
    if (options->discard) options->discard(options->context);
    close(options->descriptor);
    errno = ENOMEM;
    return NULL;
  }
  recorder->options = *options;
  recorder->use_counter = options->use_counter && optrace_clock_has_counter();
  recorder->millisecond = recorder->use_counter ? optrace_clock_frequency() / 1000 : 1000000;
  recorder->next_serial = recorder->next_queue = recorder->next_span = recorder->next_thread = 1;
  recorder->sequence = 1;
  owned_lock_init(&recorder->lock);
  owned_lock_init(&recorder->grow);
  owned_lock_init(&recorder->recycling);
  owned_lock_init(&recorder->shared.lock);
  flusher_prepare(recorder);
  recorder->definitions.recorder = recorder->carried.recorder = recorder;

  int error = file_open(recorder);
  if (!error && options->ring && !ring_prepare(recorder)) error = ENOMEM;
  if (error) {
    file_discard(recorder);
    ring_discard(recorder);
    close(options->descriptor);
    wiped_pages_free(recorder, sizeof *recorder);
    errno = error;
    return NULL;
  }
  leaks_search(recorder, sizeof *recorder);
  recorder->used = optrace_header_size;
  write_header(recorder);
  recorder->options.header = NULL;
  atomic_store(&recorder->enabled, 1);
  snapshot_prepare(recorder);
  system_filter_look();
  recorder->stop_by_flusher = stop_by_flusher;
  alive_add(recorder);
  flusher_start(recorder);  // If it fails, recording works nevertheless, but slower and without a heartbeat.
  return recorder;
}

// The caller holds `grow` and `lock`. True if nobody has begun to stop the recorder before.
static bool begin_to_stop(optrace_recorder *recorder, bool is_flusher) {
  bool first = !recorder->stopping;
  recorder->stopping = true;
  if (first) {
    recorder->closer = optrace_thread_id();
    recorder->is_closed_by_flusher = is_flusher;
    atomic_store(&recorder->ending, ending_begun);
  }
  pthread_cond_broadcast(&recorder->wake);
  return first;
}

// The flusher has ended, or calls this.
static int close_file(optrace_recorder *recorder) {
  int error = file_close(recorder);
  // Before the lock is taken again: whoever exits need not wait for more.
  atomic_store(&recorder->ending, ending_done);
  word_wake(&recorder->ending);
  return error;
}

static int stop(optrace_recorder *recorder, bool is_flusher) {
  if (!recorder->base) return 0;  // This is a forked child.
  sources_stop(recorder);
  atomic_store(&recorder->enabled, 0);
  own_lock(&recorder->grow);
  own_lock(&recorder->lock);
  bool first = begin_to_stop(recorder, is_flusher);
  pthread_mutex_unlock(&recorder->grow);
  if (!first && !is_flusher) {
    // Another thread is stopping the recorder. Wait until it has closed the file, because this caller may be about to end the process.
    optrace_frame_waits(true);
    while (!recorder->stopped) pthread_cond_wait(&recorder->wake, &recorder->lock);
    optrace_frame_waits(false);
  }
  pthread_mutex_unlock(&recorder->lock);
  if (!first) return 0;
  if (recorder->has_flusher && !is_flusher) pthread_join(recorder->flusher, NULL);
  // A thread may still be recycling a chunk. If it was interrupted by the end of the process, it never goes on: then what it uses stays.
  enum { a_second = 1000000000 };
  bool is_mine = owned_lock_until(&recorder->recycling, optrace_clock_monotonic() + a_second);
  int error = close_file(recorder);
  own_lock(&recorder->lock);
  recorder->stopped = true;
  pthread_cond_broadcast(&recorder->wake);
  thread_buffer *idle = recorder->idle;
  recorder->idle = NULL;
  sources_discard(recorder);
  rests_discard(recorder);
  if (is_mine) ring_discard(recorder);
  pthread_mutex_unlock(&recorder->lock);
  if (is_mine) pthread_mutex_unlock(&recorder->recycling);
  while (idle) {
    thread_buffer *next = idle->next;
    free(idle);
    idle = next;
  }
  return error;
}

static bool stop_by_flusher(optrace_recorder *recorder) {
  stop(recorder, true);
  return recorder->is_closed_by_flusher;
}
int optrace_recorder_stop(optrace_recorder *recorder) { return stop(recorder, false); }

// The process is about to end, so nothing is freed.
void lifecycle_stop_until(optrace_recorder *recorder, uint64_t until) {
  atomic_store(&recorder->enabled, 0);
  if (!owned_lock_until(&recorder->grow, until)) return;
  bool first = false;
  if (owned_lock_until(&recorder->lock, until)) {
    first = begin_to_stop(recorder, false);
    pthread_mutex_unlock(&recorder->lock);
  }
  pthread_mutex_unlock(&recorder->grow);
  if (first) close_file(recorder);
}

uint32_t optrace_recorder_hooks(const optrace_recorder *recorder) {
  return atomic_load_explicit(&recorder->hooks, memory_order_acquire);
}

void optrace_recorder_set_hooks(optrace_recorder *recorder, uint32_t use) {
  atomic_store_explicit(&recorder->hooks, use, memory_order_release);
}

uint64_t optrace_recorder_lost(const optrace_recorder *recorder, uint32_t reason) {
  if (!recorder->base) return 0;
  if (recorder->stopped) return recorder->lost_at_end[reason];
  return atomic_load_explicit(header_word((optrace_recorder *)recorder, optrace_header_loss_counts + 8 * reason),
                              memory_order_relaxed);
}

void optrace_recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count) {
  recorder_count_lost(recorder, reason, count);
}

int optrace_recorder_open_file(optrace_recorder *recorder) {
  int descriptor = -1, error = EBADF;
  if (!optrace_recorder_is_recording(recorder)) {
    errno = error;
    return -1;
  }
  // The recorder does not close its descriptor while the lock is held.
  own_lock(&recorder->lock);
  if (!recorder->stopping && recorder->base) {
    descriptor = fcntl(recorder->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    error = errno;
  }
  pthread_mutex_unlock(&recorder->lock);
  if (descriptor >= 0 && !file_is(recorder, descriptor)) {
    close(descriptor);
    descriptor = -1;
    error = EBADF;
  }
  if (descriptor < 0) errno = error;
  return descriptor;
}
