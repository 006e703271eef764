// Starts sampling, takes samples out, and ends sampling. The flusher walks the copied stacks, so that the program's threads have no work.
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../base/own_lock.h"
#include "../base/small_file.h"
#include "../base/wiped.h"
#include "../records/emit.h"
#include "../records/thread_numbers.h"
#include "../stacks/unloaded.h"
#include "../stacks/unwind.h"
#include "COpTraceFields.h"
#include "events.h"
#include "timer.h"

enum { deepest = 255 };
enum { shortest_pause = 5000000, longest_pause = 100000000, a_second = 1000000000 };

// Never freed, because another thread may still use it while the recorder stops. Empty in a forked child.
struct profiler {
  struct profiler *next;  // Of all that were ever started.
  pthread_mutex_t lock;   // Held while samples are taken out, and while sampling ends.
  cpu_events events;      // Only one of these two is used: `events`, or `timer` if it is not null.
  cpu_timer *timer;
  uint64_t period;
  uint32_t stack_bytes;
  uint64_t pause;
  uint64_t used_before;   // The processor time of the process when sampling began, without the flusher's.
  uint64_t reading_at;    // When the last `sampling` record was written.
  uint64_t read;          // How many samples were taken out since then.
  uint32_t starter;       // The thread that has started sampling.
  uint32_t flusher;       // It may inherit events from the thread that has created it again.
  _Atomic bool is_open;
  bool has_others;        // Threads that already existed must still be added.
  // Used while samples are taken out.
  optrace_recorder *recorder;
  uint64_t now, now_ticks;
  double ticks_per_nanosecond;
  uint32_t tid, thread;   // The thread of the last sample: its system id and its number.
};

// ---- Processor time ------------------------------------------------------------------------------------------------

static uint64_t read_clock(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * a_second + (uint64_t)time.tv_nsec;
}

static uint64_t time_of_flusher(const optrace_recorder *recorder) {
#if defined(__linux__)
  clockid_t clock;
  if (recorder->has_flusher && pthread_getcpuclockid(recorder->flusher, &clock) == 0) return read_clock(clock);
#endif
  return (void)recorder, 0u;
}

// The processor time of all threads except the flusher, in nanoseconds.
static uint64_t time_used(const optrace_recorder *recorder) {
  uint64_t all = read_clock(CLOCK_PROCESS_CPUTIME_ID), flusher = time_of_flusher(recorder);
  return all > flusher ? all - flusher : 0;
}

static void write_reading(optrace_recorder *recorder, struct profiler *p) {
  uint64_t used = time_used(recorder), lost = p->timer ? timer_lost(p->timer) : p->events.lost;
  optrace_sampling_fields fields = {
    .used = used > p->used_before ? used - p->used_before : 0,
    .lost = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX, .missing = p->timer ? timer_missing(p->timer) : p->events.missing};
  optrace_emit3(recorder, optrace_kind_sampling, 0, optrace_sampling_word1(fields), optrace_sampling_word2(fields));
  p->reading_at = optrace_clock_monotonic();
  p->read = 0;
}

// ---- Taking samples out --------------------------------------------------------------------------------------------

static uint32_t thread_of(struct profiler *p, uint32_t tid) {
  if (p->tid == tid && p->thread) return p->thread;
  p->tid = tid;
  return p->thread = thread_number_named(p->recorder, tid, false);
}

// Returns how many frames are certain: those in modules that are still loaded, and the first one in another. The walk goes by the rules
// of what is loaded now, so behind that one it went astray.
static size_t count_certain(const cpu_sample *sample, const uint64_t *addresses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t inside = addresses[i] - (i != 0);
    uint32_t then = module_then(inside, sample->time);
    if (!then || then != module_of(inside)) return i + 1;
  }
  return count;
}

static uint32_t frame_of(const struct profiler *p, const cpu_sample *sample) {
  uint64_t addresses[deepest];
  if (!sample->pc) return 0;
  stack_start start = {.pc = sample->pc, .sp = sample->sp, .bp = sample->bp};
  stack_memory memory = {.low = sample->sp, .high = sample->sp + sample->bytes, .bytes = sample->stack, .foreign = true};
  bool is_whole = false;
  size_t guessed, count = stack_walk_far(&start, &memory, addresses, NULL, deepest, &guessed, &is_whole);
  uint64_t time = sample->time > modules_changed_at() ? code_now : sample->time;
  size_t certain = time == code_now ? count : count_certain(sample, addresses, count);
  if (guessed > certain) guessed = certain;
  bool is_cut = !is_whole || certain < count;
  return p->recorder->define_sample ? p->recorder->define_sample(p->recorder, addresses, certain, guessed, is_cut, time) : 0;
}

static void take(void *context, const cpu_sample *sample) {
  struct profiler *p = context;
  if (sample->tid == p->flusher) return;
  uint64_t since = p->now > sample->time ? p->now - sample->time : 0;
  uint64_t ticks = (uint64_t)((double)since * p->ticks_per_nanosecond);
  uint8_t kind = sample->is_in_kernel ? optrace_kind_sampled_in_kernel : optrace_kind_sampled;
  uint32_t frame = frame_of(p, sample), thread = thread_of(p, sample->tid);
  for (uint32_t i = 0; i < sample->times; i++) emit_sample(p->recorder, kind, frame, p->now_ticks - ticks, thread);
}

// The caller holds the profiler's lock.
static bool drain(optrace_recorder *recorder, struct profiler *p) {
  if (!(p->timer ? timer_has_any(p->timer) : events_have_any(&p->events))) return false;
  // Before addresses are looked up: a library may have gone without `profile_drain_all`.
  modules_refresh();
  p->recorder = recorder;
  p->tid = p->thread = 0;
  p->now = optrace_clock_monotonic();
  p->now_ticks = recorder_now(recorder);
  uint32_t taken = p->timer ? timer_drain(p->timer, take, p) : events_drain(&p->events, take, p);
  p->read += taken;
  return taken > 0;
}

// Sets how long to wait before samples are taken out again. While the program is busy, that is a quarter of the time that fills a ring.
static void set_pause(struct profiler *p, bool is_busy) {
  uint64_t samples = p->timer ? timer_slots : p->events.ring_bytes / (p->stack_bytes + 128u), room = samples * p->period;
  uint64_t busy = room / 4 < shortest_pause ? shortest_pause : room / 4 < longest_pause / 2 ? room / 4 : longest_pause / 2;
  uint64_t idle = room / 2 < longest_pause ? room / 2 : longest_pause;
  // Timers must be given to new threads, so do not wait for long.
  if (p->timer && idle > 4 * shortest_pause) busy = idle = 4 * shortest_pause;
  if (is_busy) p->pause = busy;
  else if (p->pause < idle) p->pause = p->pause * 2 < idle ? p->pause * 2 : idle;
}

// Begins to sample threads that already existed. With kernel events it does this once; with timers it also adds new threads each time.
// The caller holds the profiler's lock.
static void cover_others(struct profiler *p) {
  p->flusher = optrace_thread_id();
  if (p->timer) {
    timer_cover(p->timer, (uint32_t)optrace_thread_id());
  } else if (p->has_others) {
    p->has_others = false;
    events_cover_others(&p->events, p->starter, (uint32_t)optrace_thread_id());
  }
}

bool profile_drain(optrace_recorder *recorder, flusher_beat beat) {
  (void)beat;
  struct profiler *p = atomic_load_explicit(&recorder->profiler, memory_order_acquire);
  if (!p || own_trylock(&p->lock) != 0) return false;
  // Looks for threads in /proc and makes timers or events, which a filter may forbid.
  if (p->is_open && system_call_begins()) {
    cover_others(p);
    system_call_ends();
  }
  bool has_drained = p->is_open && drain(recorder, p);
  bool is_due = p->read && optrace_clock_monotonic() - p->reading_at >= a_second;
  if (is_due) write_reading(recorder, p);
  set_pause(p, has_drained);
  pthread_mutex_unlock(&p->lock);
  return has_drained || is_due;
}

static struct profiler *_Atomic all;

static void drain_soon(struct profiler *p) {
  enum { tries = 50 };
  for (int i = 0; i < tries && p->is_open; i++) {
    if (own_trylock(&p->lock) == 0) {
      if (p->is_open) drain(p->recorder, p);
      pthread_mutex_unlock(&p->lock);
      return;
    }
    usleep(1000);
  }
}

void profile_drain_all(void) {
  for (struct profiler *p = atomic_load_explicit(&all, memory_order_acquire); p; p = p->next) drain_soon(p);
}

uint64_t profile_due(optrace_recorder *recorder, uint64_t now) {
  const struct profiler *p = atomic_load_explicit(&recorder->profiler, memory_order_acquire);
  return p && p->is_open ? now + p->pause : UINT64_MAX;
}

// ---- Starting and ending -------------------------------------------------------------------------------------------

static void describe(optrace_recorder *recorder, const struct profiler *p, uint32_t by, int error) {
  bool sees_kernel = by == optrace_profile_by_timer || p->events.sees_kernel;
  optrace_profile_fields fields = {.period = p->period, .by = (uint8_t)by, .kernel = !error && sees_kernel,
                                   .refused = (uint16_t)error, .copied = p->stack_bytes};
  optrace_define(recorder, optrace_kind_profile, 0, optrace_profile_word1(fields), optrace_profile_word2(fields), NULL, 0);
}

// Whether there are threads besides this one and the flusher.
static bool has_other_threads(const optrace_recorder *recorder) {
  unsigned threads = 0;
  char status[4096];
  small_file_read("/proc/self/status", status, sizeof status);
  const char *line = strstr(status, "\nThreads:");
  if (line && sscanf(line, "\nThreads: %u", &threads) != 1) threads = 0;
  return threads != 1u + recorder->has_flusher;
}

int optrace_recorder_profile(optrace_recorder *recorder, const optrace_profile_options *options) {
  if (!optrace_recorder_is_recording(recorder) || atomic_load(&recorder->profiler)) return 0;
  uint32_t rate = options->rate < 1 ? 1 : options->rate > 1000 ? 1000 : options->rate;
  struct profiler *p = wiped_pages(sizeof *p);
  if (!p) return ENOMEM;
  modules_refresh();
  pthread_mutex_init(&p->lock, NULL);
  p->period = a_second / rate;
  p->stack_bytes = options->stack_bytes ? options->stack_bytes : 16 * 1024;
  if (p->stack_bytes > cpu_sample_most_stack) p->stack_bytes = cpu_sample_most_stack;
  p->starter = (uint32_t)optrace_thread_id();
  p->has_others = has_other_threads(recorder);
  p->ticks_per_nanosecond = recorder->use_counter ? (double)optrace_clock_frequency() / a_second : 1;
  p->used_before = time_used(recorder);
  int error = options->by == optrace_profile_by_timer ? timer_open(&p->timer, p->period, p->stack_bytes)
                                                      : events_open(&p->events, p->period, p->stack_bytes);
  describe(recorder, p, options->by, error);
  if (error) {
    wiped_pages_free(p, sizeof *p);
    return error;
  }
  if (p->timer) timer_add(p->timer, p->starter);
  else if (!p->has_others) events_close_files(&p->events);
  p->recorder = recorder;
  p->is_open = true;
  set_pause(p, true);
  write_reading(recorder, p);
  p->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &p->next, p)) {}
  atomic_store_explicit(&recorder->profiler, p, memory_order_release);
  // Wake the flusher, so that it begins to take samples out.
  own_lock(&recorder->lock);
  pthread_cond_broadcast(&recorder->wake);
  pthread_mutex_unlock(&recorder->lock);
  return 0;
}

void profile_stop(optrace_recorder *recorder) {
  struct profiler *p = recorder->base ? atomic_load_explicit(&recorder->profiler, memory_order_acquire) : NULL;
  if (!p) return;
  own_lock(&p->lock);
  if (p->is_open) {
    drain(recorder, p);
    write_reading(recorder, p);
    p->is_open = false;
    if (p->timer) timer_close(p->timer);
    else events_close(&p->events);
  }
  pthread_mutex_unlock(&p->lock);
}

const char *optrace_profile_refusal(int error) {
  switch (error) {
    case EACCES:
      return "this system lets only root sample (as root: sysctl kernel.perf_event_paranoid=2, or give the program CAP_PERFMON)";
    case EPERM: return "a seccomp profile, as containers have one, or the limit of locked memory refuses it (--cap-add PERFMON; ulimit -l)";
    case ENOSYS: case ENOENT: case EOPNOTSUPP: return "this kernel has no perf events";
    case EMFILE: case ENFILE: return "there are too many open files (ulimit -n)";
    case EBUSY: return "the program has a handler for SIGPROF, or another recorder samples";
    case ENOMEM: return "there is no memory";
    default: return "the system refuses it";
  }
}
