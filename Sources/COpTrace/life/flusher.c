// The flusher, the recorder's own thread: it writes the heartbeat, grows the file before anybody needs the room, computes checksums,
// and records waits that last.
#include "flusher.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "../base/seal.h"
#include "../entries/entries.h"
#include "../loops/loops.h"
#include "../profile/profile.h"
#include "../storage/file.h"
#include "../storage/ring.h"
#include "../waits/waits.h"
#include "snapshot.h"

static void (*_Atomic refresh)(void);

void flusher_set_refresh(void (*call)(void)) { atomic_store_explicit(&refresh, call, memory_order_release); }

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
    pthread_mutex_lock(&recorder->lock);
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
  pthread_mutex_lock(&recorder->lock);
}

static void recycle_ahead(optrace_recorder *recorder) {
  uint32_t wanted = ring_reserve(recorder) + recorder->ring_count / 16 + 2;
  ring_scan(recorder);
  for (uint32_t i = 0; i < wanted && recorder->ring_free_count < wanted; i++)
    if (!ring_recycle(recorder)) break;
}

// Writes samples and turns of event loops. These records do not count as activity: they are no sign that the program makes progress.
static void write_seen(optrace_recorder *recorder) {
  uint64_t before;
  bool is_sampled = profile_pause(recorder) != UINT64_MAX, has_loops = loops_recorder() == recorder;
  if (!is_sampled && !has_loops) return;
  if (is_sampled) profile_cover_others(recorder);
  bool is_known = optrace_recorder_activity(recorder, &before);
  bool has_written = is_sampled && profile_drain(recorder);
  has_written |= has_loops && loops_report(recorder);
  if (has_written && is_known) snapshot_overlook(recorder, before);
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

// Nanoseconds between two checks of waits, once an operation has waited or a barrier was added. Until then they are checked with
// each heartbeat.
enum { check_waits_every = 100000000 };

static void *flush(void *argument) {
  optrace_recorder *recorder = argument;
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "optrace");
#elif defined(__APPLE__)
  pthread_setname_np("optrace");
#endif
#if defined(MADV_POPULATE_WRITE)
  if (recorder->options.ring) madvise(recorder->base, recorder->mapped, MADV_POPULATE_WRITE);
#endif
  enum { a_second = 1000000000 };
  uint64_t pause = 1000000;  // The second calibration of the clock comes soon; later ones follow once a second.
  bool pause_is_full = false;
  uint64_t next = optrace_clock_monotonic() + pause;
  pthread_mutex_lock(&recorder->lock);
  while (!recorder->stopping) {
    if (recorder->options.ring) {
      recycle_ahead(recorder);
    } else {
      seal_waiting(recorder);
      grow_ahead(recorder);
    }
    uint64_t now = optrace_clock_monotonic();
    bool beats = now >= next;
    if (beats) {
      beat(recorder);
      pause_is_full = pause == a_second;
      pause = pause < a_second ? pause * 10 : pause;
      next = now + pause;
    }
    bool waits = atomic_load_explicit(&recorder->waiting, memory_order_relaxed);
    void (*check)(void) = beats ? atomic_load_explicit(&refresh, memory_order_acquire) : NULL;
    bool hooks = check && atomic_load_explicit(&recorder->hooks, memory_order_acquire) == optrace_hooks_used;
    pthread_mutex_unlock(&recorder->lock);
    if (waits) waits_report(recorder);
    if (hooks) check();
    write_seen(recorder);
    snapshot_if_still(recorder, beats && pause_is_full);
    pthread_mutex_lock(&recorder->lock);
    if (recorder->stopping) break;
    bool hurries = atomic_load_explicit(&recorder->hurries, memory_order_relaxed);
    uint64_t until = hurries && next > now + check_waits_every ? now + check_waits_every : next;
    uint64_t due = snapshot_due(recorder);
    if (due < until) until = due;
    uint64_t pause_of_profile = profile_pause(recorder);
    if (until > now && pause_of_profile < until - now) until = now + pause_of_profile;
    wait_for_wake(recorder, until > now ? until - now : 0);
  }
  pthread_mutex_unlock(&recorder->lock);
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
  recorder->has_flusher = pthread_create(&recorder->flusher, &attributes, flush, recorder) == 0;
  if (!recorder->has_flusher) entries_own_thread(false);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return recorder->has_flusher;
}
