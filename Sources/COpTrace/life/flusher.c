// The flusher, the recorder's own thread: it writes the heartbeat, grows the file before anybody needs the room, computes checksums,
// and lets the sources write.
#include "flusher.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "../base/filter.h"
#include "../base/own_lock.h"
#include "../base/seal.h"
#include "../base/word.h"
#include "../entries/entries.h"
#include "../records/reclaim.h"
#include "../storage/file.h"
#include "../storage/ring.h"
#include "sources.h"

// The condition uses the monotonic clock, so that the heartbeat continues when somebody sets the system's clock back.
void flusher_prepare(optrace_recorder *recorder) {
#if defined(__APPLE__)
  pthread_cond_init(&recorder->wake, NULL);
#else
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&recorder->wake, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
}

static void beat(optrace_recorder *recorder) {
  _Atomic uint64_t *words = header_word(recorder, optrace_header_heartbeat_sequence);
  uint64_t sequence = atomic_load_explicit(words, memory_order_relaxed);
  atomic_store_explicit(words, sequence + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(words + 1, recorder_now(recorder), memory_order_relaxed);
  atomic_store_explicit(words + 2, optrace_clock_monotonic(), memory_order_relaxed);
  atomic_store_explicit(words + 3, optrace_clock_wall(), memory_order_relaxed);
  atomic_store_explicit(words, sequence + 2, memory_order_release);
}

// Computes checksums of chunks that nobody writes any more. The caller holds `lock`, which is released while a chunk is read.
static void seal_waiting(optrace_recorder *recorder) {
  while (recorder->unsealed_count && !recorder->stopping) {
    chunk_header *chunk = recorder->unsealed[--recorder->unsealed_count];
    pthread_mutex_unlock(&recorder->lock);
    chunk_seal(chunk);
    own_lock(&recorder->lock);
  }
}

static void grow_ahead(optrace_recorder *recorder) {
  uint64_t used = atomic_load_explicit(&recorder->used, memory_order_relaxed);
  uint64_t wanted = used / 4 + 32 * 1024;
  if (wanted > (8u << 20)) wanted = 8u << 20;
  if (recorder->mapped - used >= wanted) return;
  if (atomic_load_explicit(&recorder->retry_at, memory_order_relaxed)) return;  // Growing has failed: a thread that needs room retries.
  pthread_mutex_unlock(&recorder->lock);
  file_grow(recorder, wanted, true);
  own_lock(&recorder->lock);
}

// How often the flusher looks for chunks that it can take back: rarely, and often while threads find none.
enum { look_every = 1000000000, look_often = 2000000, carry_every = 250000000 };

static const uint64_t a_second = 1000000000;

// When something was done last or is due, on the monotonic clock.
typedef struct {
  uint64_t looked, carried;  // For a ring.
  uint64_t beat;             // When the next heartbeat is due.
  uint64_t pause;            // Nanoseconds between heartbeats. The second calibration of the clock comes soon; later ones once a second.
} flusher_times;

// Keeps free chunks ready in a ring. The caller does not hold `lock`.
static void keep_ready(optrace_recorder *recorder, uint64_t now, flusher_times *times) {
  own_lock(&recorder->lock);
  bool is_wrapped = recorder->ring_free_count < ring_ready(recorder), is_short = recorder->is_short;
  recorder->is_short = false;
  pthread_mutex_unlock(&recorder->lock);
  if (is_wrapped && now - times->looked >= (is_short ? look_often : look_every)) {
    reclaim_idle(recorder, is_short);
    times->looked = now;
  }
  ring_recycle_ahead(recorder);
  if (now - times->carried >= carry_every) {
    ring_carry_ahead(recorder);
    times->carried = now;
  }
}

// The caller holds `lock`, which is released meanwhile.
static void make_room(optrace_recorder *recorder, flusher_times *times) {
  if (!recorder->options.ring) {
    seal_waiting(recorder);
    grow_ahead(recorder);
    return;
  }
  pthread_mutex_unlock(&recorder->lock);
  keep_ready(recorder, optrace_clock_monotonic(), times);
  own_lock(&recorder->lock);
}

static void wait_for_wake(optrace_recorder *recorder, uint64_t nanoseconds) {
#if defined(__APPLE__)
  uint64_t until = nanoseconds;
#else
  uint64_t until = optrace_clock_monotonic() + nanoseconds;
#endif
  struct timespec deadline = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
#if defined(__APPLE__)
  pthread_cond_timedwait_relative_np(&recorder->wake, &recorder->lock, &deadline);
#else
  pthread_cond_timedwait(&recorder->wake, &recorder->lock, &deadline);
#endif
}

// The caller holds `lock`.
static bool goes_on(const optrace_recorder *recorder) {
  return !recorder->stopping && !recorder->is_paused && !recorder->ends_by_flusher;
}

static flusher_beat beat_if_due(optrace_recorder *recorder, flusher_times *times, uint64_t now) {
  if (now < times->beat) return beat_none;
  beat(recorder);
  bool is_full = times->pause == a_second;
  if (!is_full) times->pause *= 10;
  times->beat = now + times->pause;
  return is_full ? beat_full : beat_early;
}

// Does what is due from time to time: the heartbeat, and what the sources write. Returns when something is due next. The caller holds
// `lock`, which is released meanwhile.
static uint64_t do_what_is_due(optrace_recorder *recorder, flusher_times *times, uint64_t now) {
  flusher_beat beat = beat_if_due(recorder, times, now);
  pthread_mutex_unlock(&recorder->lock);
  if (beat) system_filter_look();
  sources_drain(recorder, beat);
  uint64_t due = sources_due(recorder, now);
  own_lock(&recorder->lock);
  return due < times->beat ? due : times->beat;
}

static void *flush(void *argument) {
  optrace_recorder *recorder = argument;
#if defined(__linux__)
  if (recorder->may_name_flusher) {
    pthread_setname_np(pthread_self(), "optrace");
    system_call_ends();
  }
#elif defined(__APPLE__)
  pthread_setname_np("optrace");
#endif
#if defined(MADV_POPULATE_WRITE)
  if (recorder->options.ring) madvise(recorder->base, recorder->mapped, MADV_POPULATE_WRITE);
#endif
  enum { first_pause = 1000000 };
  flusher_times times = {.pause = first_pause, .beat = optrace_clock_monotonic() + first_pause};
  uint64_t due = 0;
  own_lock(&recorder->lock);
  while (goes_on(recorder)) {
    make_room(recorder, &times);
    uint64_t now = optrace_clock_monotonic();
    if (now >= due) due = do_what_is_due(recorder, &times, now);
    if (!goes_on(recorder)) break;
    // Woken for room alone, it comes back to the rest when that is due.
    uint64_t until = recorder->is_short && due > now + look_often ? now + look_often : due;
    wait_for_wake(recorder, until > now ? until - now : 0);
  }
  bool stops = recorder->ends_by_flusher;
  pthread_mutex_unlock(&recorder->lock);
  if (stops && recorder->stop_by_flusher(recorder)) {
    // The process ends. The end of a thread takes system calls that a program with one thread and a filter has not allowed.
    _Atomic uint32_t nothing = 0;
    const uint64_t an_hour = 3600000000000;
    for (;;) word_wait(&nothing, 0, an_hour);
  }
  entries_own_thread(false);
  return NULL;
}

bool flusher_start(optrace_recorder *recorder) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  // The program's signals must go to its own threads. The new thread inherits this mask; if it blocked the signals itself, that would
  // be too late.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);  // The recorder handles it itself: see storage/guard.c.
  // SIGPROF stays as it is in the caller: when the program crashes, Swift's runtime stops all threads with this signal, and complains
  // about a thread that blocks it.
  sigdelset(&all, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  entries_own_thread(true);
#if defined(__linux__)
  // No filter comes before the new thread has really begun.
  recorder->may_name_flusher = system_call_begins();
#endif
  recorder->has_flusher = pthread_create(&recorder->flusher, &attributes, flush, recorder) == 0;
  if (!recorder->has_flusher) {
    entries_own_thread(false);
    if (recorder->may_name_flusher) system_call_ends();
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return recorder->has_flusher;
}

bool flusher_pause(optrace_recorder *recorder) {
  if (!recorder->base || recorder->stopped || !recorder->has_flusher) return false;
  own_lock(&recorder->lock);
  recorder->is_paused = true;
  pthread_cond_broadcast(&recorder->wake);
  pthread_mutex_unlock(&recorder->lock);
  pthread_join(recorder->flusher, NULL);
  recorder->has_flusher = false;
  return true;
}

void flusher_resume(optrace_recorder *recorder) {
  if (!recorder->is_paused) return;
  recorder->is_paused = false;
  flusher_start(recorder);
}
