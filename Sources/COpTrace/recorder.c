// A recorder's life: create, keep (heartbeat, space ahead of need, checksums), stop.
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach/vm_inherit.h>
#endif

// Its own pages, which a forked child finds empty: `enabled` is zero there, and nothing is recorded.
static optrace_recorder *allocate_recorder(void) {
  void *pages = mmap(NULL, sizeof(optrace_recorder), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return NULL;
#if defined(MADV_WIPEONFORK)
  if (madvise(pages, sizeof(optrace_recorder), MADV_WIPEONFORK) != 0) {
    munmap(pages, sizeof(optrace_recorder));
    return NULL;
  }
#elif defined(__APPLE__)
  minherit(pages, sizeof(optrace_recorder), VM_INHERIT_ZERO);
#endif
  return pages;
}

static void beat(optrace_recorder *recorder) {
  _Atomic uint64_t *words = header_word(recorder, optrace_header_heartbeat);
  uint64_t sequence = atomic_load_explicit(words, memory_order_relaxed);
  atomic_store_explicit(words, sequence + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(words + 1, recorder_now(recorder), memory_order_relaxed);
  atomic_store_explicit(words + 2, optrace_clock_monotonic(), memory_order_relaxed);
  atomic_store_explicit(words + 3, optrace_clock_wall(), memory_order_relaxed);
  atomic_store_explicit(words, sequence + 2, memory_order_release);
}

// Checksums of chunks that nobody writes any more. `lock` is held, and let go while a chunk is read.
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
  if (atomic_load_explicit(&recorder->retry_at, memory_order_relaxed)) return;  // Who needs space asks for it.
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

// On the monotonic clock: when somebody sets the system's clock back, the heartbeat must go on.
static void prepare_wake(optrace_recorder *recorder) {
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

// Operations that block are looked at ten times a second, once there has been one, and calls that add to a queue once
// there has been a barrier; until then with each beat.
enum { look_at_waits = 100000000 };

static void *keep(void *argument) {
  optrace_recorder *recorder = argument;
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "optrace");
#elif defined(__APPLE__)
  pthread_setname_np("optrace");
#endif
#if defined(MADV_POPULATE_WRITE)
  if (recorder->options.ring) madvise(recorder->base, recorder->mapped, MADV_POPULATE_WRITE);
#endif
  uint64_t pause = 1000000;  // The second calibration soon, then once a second.
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
      pause = pause < 1000000000 ? pause * 10 : pause;
      next = now + pause;
    }
    bool waits = atomic_load_explicit(&recorder->waiting, memory_order_relaxed);
    bool hooks = beats && optrace_recorder_hooks(recorder) == optrace_hooks_used;
    if (waits || hooks) {
      pthread_mutex_unlock(&recorder->lock);
      if (waits) waits_tell(recorder);
      if (hooks) hooks_refresh();
      pthread_mutex_lock(&recorder->lock);
    }
    if (recorder->stopping) break;
    bool hurries = atomic_load_explicit(&recorder->hurries, memory_order_relaxed);
    uint64_t until = hurries && next > now + look_at_waits ? now + look_at_waits : next;
    wait_for_wake(recorder, until > now ? until - now : 0);
  }
  pthread_mutex_unlock(&recorder->lock);
  return NULL;
}

static bool start_keeper(optrace_recorder *recorder) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  // The host's signals go to the host's threads. The new thread takes over our mask: blocking them itself it would be late.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);  // Our own: see guard.c.
  pthread_sigmask(SIG_BLOCK, &all, &before);
  recorder->has_keeper = pthread_create(&recorder->keeper, &attributes, keep, recorder) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return recorder->has_keeper;
}

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
  uint32_t open = 1;
  memcpy(base + optrace_header_state, &open, 4);
  uint64_t end = optrace_header_bytes;
  memcpy(base + optrace_header_end_offset, &end, 8);
}

optrace_recorder *optrace_recorder_create(const optrace_options *options) {
  optrace_recorder *recorder = allocate_recorder();
  if (!recorder) {
    close(options->descriptor);
    errno = ENOMEM;
    return NULL;
  }
  recorder->options = *options;
  recorder->use_counter = options->use_counter && optrace_clock_has_counter();
  recorder->millisecond = recorder->use_counter ? optrace_clock_frequency() / 1000 : 1000000;
  recorder->next_serial = recorder->next_queue = recorder->next_span = recorder->next_thread = 1;
  recorder->sequence = 1;
  pthread_mutex_init(&recorder->lock, NULL);
  pthread_mutex_init(&recorder->grow, NULL);
  prepare_wake(recorder);
  recorder->definitions.recorder = recorder->carried.recorder = recorder;

  int error = file_open(recorder);
  if (!error && options->ring && !ring_prepare(recorder)) error = ENOMEM;
  if (error) {
    file_discard(recorder);
    ring_discard(recorder);
    close(options->descriptor);
    munmap(recorder, sizeof *recorder);
    errno = error;
    return NULL;
  }
  recorder->used = optrace_header_bytes;
  write_header(recorder);
  recorder->options.header = NULL;
  atomic_store(&recorder->enabled, 1);
  start_keeper(recorder);  // Without it recording works, only slower and without a heartbeat.
  return recorder;
}

int optrace_recorder_stop(optrace_recorder *recorder) {
  if (!recorder->base) return 0;  // A forked child.
  atomic_store(&recorder->enabled, 0);
  pthread_mutex_lock(&recorder->grow);
  pthread_mutex_lock(&recorder->lock);
  bool first = !recorder->stopping;
  recorder->stopping = true;
  pthread_cond_broadcast(&recorder->wake);
  pthread_mutex_unlock(&recorder->grow);
  // Who calls second may be about to end the process: the file is closed when it comes back.
  optrace_frame_waits(true);
  while (!first && !recorder->stopped) pthread_cond_wait(&recorder->wake, &recorder->lock);
  optrace_frame_waits(false);
  pthread_mutex_unlock(&recorder->lock);
  if (!first) return 0;
  if (recorder->has_keeper) pthread_join(recorder->keeper, NULL);
  int error = file_close(recorder);
  pthread_mutex_lock(&recorder->lock);
  recorder->stopped = true;
  pthread_cond_broadcast(&recorder->wake);
  lane *idle = recorder->idle;
  recorder->idle = NULL;
  ring_discard(recorder);
  pthread_mutex_unlock(&recorder->lock);
  while (idle) {
    lane *next = idle->next;
    free(idle);
    idle = next;
  }
  return error;
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
  return atomic_load_explicit(header_word((optrace_recorder *)recorder, optrace_header_loss + 8 * reason),
                              memory_order_relaxed);
}

void optrace_recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count) {
  recorder_count_lost(recorder, reason, count);
}

// Chunks are numbered when they are handed out, and in between fill marks only grow.
bool optrace_recorder_activity(optrace_recorder *recorder, uint64_t *out) {
  if (!optrace_recorder_is_recording(recorder)) return false;
  pthread_mutex_lock(&recorder->lock);
  bool is_open = !recorder->stopping && recorder->base;
  if (is_open) {
    uint64_t activity = recorder->sequence << 40;
    for (lane *l = recorder->known; l; l = l->next_known)
      activity += atomic_load_explicit(&l->open->fill, memory_order_relaxed);
    for (uint32_t reason = 0; reason < 8; reason++)
      activity += atomic_load_explicit(header_word(recorder, optrace_header_loss + 8 * reason), memory_order_relaxed);
    *out = activity;
  }
  pthread_mutex_unlock(&recorder->lock);
  return is_open;
}

int optrace_recorder_open_file(optrace_recorder *recorder) {
  int descriptor = -1, error = EBADF;
  if (!optrace_recorder_is_recording(recorder)) {
    errno = error;
    return -1;
  }
  // While it is held the recorder does not close its descriptor.
  pthread_mutex_lock(&recorder->lock);
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

static _Atomic(void *) default_recorder;
void *optrace_default(void) { return atomic_load_explicit(&default_recorder, memory_order_acquire); }
void optrace_set_default(void *recorder) {
  atomic_store_explicit(&default_recorder, recorder, memory_order_release);
  default_is_some();
}

uint32_t optrace_default_state = optrace_default_unasked;
void default_is_some(void) { __atomic_store_n(&optrace_default_state, optrace_default_some, __ATOMIC_RELEASE); }
void optrace_default_is_none(void) {
  uint32_t unasked = optrace_default_unasked;
  __atomic_compare_exchange_n(&optrace_default_state, &unasked, optrace_default_none, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
}

uint32_t optrace_recorder_next_queue(optrace_recorder *recorder) {
  return atomic_fetch_add_explicit(&recorder->next_queue, 1, memory_order_relaxed);
}

uint32_t optrace_recorder_next_span(optrace_recorder *recorder) {
  return atomic_fetch_add_explicit(&recorder->next_span, 1, memory_order_relaxed);
}

int optrace_test_descriptor(const optrace_recorder *recorder) { return recorder->descriptor; }

// Others may change it meanwhile, which only makes for another sum.
__attribute__((no_sanitize("thread"))) uint64_t optrace_test_shared(const optrace_recorder *recorder) {
  uint64_t sum = 0;
  const volatile uint64_t *words = (const volatile uint64_t *)(const void *)recorder;
  for (size_t i = 0; i < sizeof *recorder / 8; i++) sum = (sum ^ words[i]) * 0xFF51AFD7ED558CCDull;
  return sum;
}

// ---- Cache ---------------------------------------------------------------------------------------------------------

static uint32_t cache_slot(uint64_t key1, uint64_t key2) {
  uint64_t hash = (key1 ^ key2 * 0x9E3779B97F4A7C15ull) * 0xFF51AFD7ED558CCDull;
  return (uint32_t)(hash >> 40) % cache_slots;
}

uint32_t optrace_cache_find(optrace_recorder *recorder, uint64_t key1, uint64_t key2) {
  uint32_t slot = cache_slot(key1, key2);
  for (uint32_t i = 0; i < 8; i++, slot = (slot + 1) % cache_slots) {
    uint32_t id = atomic_load_explicit(&recorder->cache[slot].id, memory_order_acquire);
    if (!id) return 0;
    if (recorder->cache[slot].key1 == key1 && recorder->cache[slot].key2 == key2) return id;
  }
  return 0;
}

void optrace_cache_add(optrace_recorder *recorder, uint64_t key1, uint64_t key2, uint32_t id) {
  pthread_mutex_lock(&recorder->lock);
  uint32_t slot = cache_slot(key1, key2);
  for (uint32_t i = 0; i < 8; i++, slot = (slot + 1) % cache_slots) {
    if (atomic_load_explicit(&recorder->cache[slot].id, memory_order_relaxed)) continue;
    recorder->cache[slot].key1 = key1;
    recorder->cache[slot].key2 = key2;
    atomic_store_explicit(&recorder->cache[slot].id, id, memory_order_release);
    break;
  }
  pthread_mutex_unlock(&recorder->lock);
}
