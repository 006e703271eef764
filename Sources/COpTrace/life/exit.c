// At the end of the process every recorder is stopped. The C library may call this in a signal handler (many command-line programs call `exit`
// there), so the interrupted thread may hold any lock, in the recorder, in `malloc` or elsewhere, and never go on. So the flusher stops the
// recorder, and this thread only waits for it, for a limited time. A trace that cannot be closed stays open, and is read like one whose
// program was killed.
#include "COpTrace.h"

#include "../base/bounded.h"
#include "../base/word.h"
#include "alive.h"
#include "lifecycle.h"

// For locks; and for a file that a thread of the program is closing, which may have been interrupted, too.
enum { most_seconds = 3, most_to_close = 10 };
static const uint64_t a_second = 1000000000;

static bool is_flusher(const optrace_recorder *recorder) {
  return recorder->has_flusher && pthread_equal(recorder->flusher, pthread_self());
}

// Asks the flusher. False: do not wait for it.
static bool ask(optrace_recorder *recorder, uint64_t until) {
  // In a forked child all of it is zero.
  if (!recorder->base || recorder->stopped || is_flusher(recorder)) return false;
  // The flusher will need these, too.
  if (!owned_lock_until(&recorder->grow, until)) return false;
  pthread_mutex_unlock(&recorder->grow);
  if (!owned_lock_until(&recorder->recycling, until)) return false;
  pthread_mutex_unlock(&recorder->recycling);
  if (!owned_lock_until(&recorder->lock, until)) return false;
  bool has_flusher = recorder->has_flusher, closes_itself = recorder->closer == optrace_thread_id();
  recorder->ends_by_flusher = has_flusher;
  pthread_cond_broadcast(&recorder->wake);
  pthread_mutex_unlock(&recorder->lock);
  if (closes_itself) return false;
  if (!has_flusher) lifecycle_stop_until(recorder, until);
  return has_flusher;
}

// Until when to wait. Once the flusher has the locks, it only has to write the rest of the file, and nothing interrupts it.
static uint64_t limit(const optrace_recorder *recorder, uint32_t ending, uint64_t until) {
  if (ending == ending_not_yet) return until;
  return recorder->is_closed_by_flusher ? UINT64_MAX : until + (most_to_close - most_seconds) * a_second;
}

static void wait_for(optrace_recorder *recorder, uint64_t until) {
  for (;;) {
    uint32_t ending = atomic_load(&recorder->ending);
    uint64_t now = optrace_clock_monotonic(), last = limit(recorder, ending, until);
    if (ending == ending_done || now >= last) return;
    word_wait(&recorder->ending, ending, last - now < a_second / 10 ? last - now : a_second / 10);
  }
}

void optrace_stop_at_exit(void) {
  uint64_t until = optrace_clock_monotonic() + most_seconds * a_second;
  for (optrace_recorder *recorder = alive_newest(); recorder; recorder = recorder->made_before)
    if (ask(recorder, until)) wait_for(recorder, until);
}
