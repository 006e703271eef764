// Snapshots: what every thread is doing when nothing moves, or when somebody requests it. They are the evidence of a hang.
#include "snapshot.h"

#include <signal.h>
#include <stdlib.h>

#include "../base/filter.h"
#include "../base/own_lock.h"
#include "../dispatch/submitted.h"
#include "../records/stack_ids.h"
#include "../records/emit.h"
#include "../records/buffers.h"
#include "../records/thread_numbers.h"
#include "../storage/ring.h"
#include "../tasks/task_records.h"
#include "../waits/once.h"
#include "COpTraceFields.h"
#include "seen.h"

enum { usual_beats = 10 };
// Nanoseconds after which another snapshot is taken if a thread was running. Not a whole heartbeat: a thread that wakes once a second,
// as libdispatch's manager does, would be running each time.
enum { off_beat = 50000000 };

// What was recorded of a thread.
typedef struct {
  uint32_t thread, stack;
  uint64_t words[2];
} seen_record;

// The threads of a snapshot, in the order of the system's list.
typedef struct {
  seen_record *all;
  uint32_t count, size;
} seen_list;

// State that is kept between snapshots. Only the flusher uses it.
struct snapshots {
  uint64_t activity;       // The recorder's activity at the last check, including what snapshots write.
  uint32_t beats_left;     // Heartbeats until the next snapshot, if nothing changes.
  uint32_t again;          // How many snapshots were taken early in a row, because a thread was running in the one before.
  uint32_t number;         // How many snapshots were taken so far.
  uint32_t written;
  bool has_runner;         // A thread was running in the last one.
  uint64_t off_beat_at;    // When the next one between two heartbeats is due, on the monotonic clock; 0: none.
  // The last snapshot and this one, to record only what has changed: a program may hang for days.
  seen_list last, now;
  uint32_t compared;       // The next thread of the last snapshot to compare with.
  uint32_t unchanged;
  bool is_whole;           // Everything is recorded, not only what has changed.
  uint64_t whole_ticks;    // When the last whole snapshot was complete, in ticks; 0: never.
  uint64_t lost;           // How many records were lost before the last snapshot.
};

void snapshot_prepare(optrace_recorder *recorder) { recorder->snapshots = calloc(1, sizeof *recorder->snapshots); }

void snapshot_discard(optrace_recorder *recorder) {
  if (recorder->snapshots) {
    free(recorder->snapshots->last.all);
    free(recorder->snapshots->now.all);
  }
  free(recorder->snapshots);
  recorder->snapshots = NULL;
  thread_numbers_discard(recorder);
}

static uint32_t number_of_thread(optrace_recorder *recorder, uint32_t tid, const char *name) {
  return thread_number_make(recorder, tid, name, recorder->snapshots->number);
}

// ---- Taking one ----------------------------------------------------------------------------------------------------

static uint32_t stack_id(void *context, const thread_seen *seen) {
  optrace_recorder *recorder = context;
  return stacks_wanted(recorder) ? stack_id_of(recorder, seen->pcs, seen->depth, seen->guessed) : 0;
}

// A thread that waits for an initialiser may seem to be running; see waits/once.c. Shows it as sleeping, with the reason.
static void look_for_initialiser(optrace_recorder *recorder, moment_thread *seen) {
  once_waiter waiter;
  if (!once_find(seen->id, &waiter)) return;
  uint32_t stack = stack_id_of_thread(recorder, &waiter.start, 0);
  if (!once_still_waits(&waiter)) return;
  seen->state = 'S';
  seen->is_running = false;
  seen->is_still = true;
  seen->call = -1;
  seen->stack = stack;
  seen->reason = (sleep_reason){.kind = sleep_once, .lock = waiter.token, .owner = waiter.owner};
}

static bool list_add(seen_list *list, const seen_record *record) {
  if (list->count == list->size) {
    uint32_t size = list->size ? list->size * 2 : 64;
    seen_record *larger = realloc(list->all, size * sizeof *larger);
    if (!larger) return false;
    list->all = larger;
    list->size = size;
  }
  list->all[list->count++] = *record;
  return true;
}

static void write_seen(optrace_recorder *recorder, const seen_record *record) {
  emit3_at(recorder, optrace_kind_thread_seen, record->thread, record->words[0], record->words[1], record->stack);
  recorder->snapshots->written++;
}

static void write_ended(optrace_recorder *recorder, uint32_t thread) {
  enum { has_ended = 5 };
  write_seen(recorder, &(seen_record){.thread = thread, .words[0] = optrace_thread_seen_word1((optrace_thread_seen_fields){.state = has_ended})});
}

// Whether the last snapshot says the same of this thread. The system lists threads in the same order each time; those in between have
// ended.
static bool is_unchanged(optrace_recorder *recorder, const seen_record *record) {
  struct snapshots *own = recorder->snapshots;
  uint32_t at = own->compared;
  while (at < own->last.count && own->last.all[at].thread != record->thread) at++;
  if (at == own->last.count) return false;
  while (own->compared < at) write_ended(recorder, own->last.all[own->compared++].thread);
  const seen_record *last = &own->last.all[own->compared++];
  return last->words[0] == record->words[0] && last->words[1] == record->words[1] && last->stack == record->stack;
}

static void record_seen(optrace_recorder *recorder, const seen_record *record) {
  struct snapshots *own = recorder->snapshots;
  bool is_same = !own->is_whole && is_unchanged(recorder, record);
  own->unchanged += is_same;
  if (!is_same) write_seen(recorder, record);
  // If memory is out, the next snapshot is whole.
  if (!list_add(&own->now, record)) own->whole_ticks = 0;
}

static void report(void *context, const moment_thread *visited) {
  optrace_recorder *recorder = context;
  moment_thread thread = *visited, *seen = &thread;
  uint32_t number = number_of_thread(recorder, seen->id, seen->name);
  if (!number) return;
  look_for_initialiser(recorder, seen);
  // The owner of a lock may get its number here, before it is visited itself.
  uint32_t owner = seen->reason.owner ? number_of_thread(recorder, seen->reason.owner, NULL) : 0;
  seen_record record = {.thread = number, .stack = seen->stack};
  seen_words(seen, owner, record.words);
  record_seen(recorder, &record);
  recorder->snapshots->has_runner |= seen->is_running;
}

// The signals that the program handles, one bit each; signal 1 is the lowest bit. Such a handler may wake a thread that no other thread
// will. Signals that Swift's runtime, the C library or this recorder handle are not included: those of faults, SIGQUIT and SIGPROF.
static uint64_t handled_signals(void) {
  static const int asked[] = {SIGHUP, SIGINT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD, SIGCONT, SIGVTALRM, SIGWINCH, SIGIO};
  uint64_t handled = 0;
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    struct sigaction is;
    if (sigaction(asked[i], NULL, &is) != 0) continue;
    const int number = asked[i] - 1;
    const uint64_t bit = 1ull << number;
    if (is.sa_flags & SA_SIGINFO || (is.sa_handler != SIG_DFL && is.sa_handler != SIG_IGN)) handled |= bit;
  }
  return handled;
}

static uint64_t lost_so_far(optrace_recorder *recorder) {
  uint64_t lost = 0;
  for (uint32_t reason = 0; reason < 8; reason++)
    lost += atomic_load_explicit(header_word(recorder, optrace_header_loss_counts + 8 * reason), memory_order_relaxed);
  return lost;
}

// Whether the snapshot must not rely on the ones before it: somebody asked for it, or a part of those may be missing.
static bool must_be_whole(optrace_recorder *recorder, uint64_t request) {
  const struct snapshots *own = recorder->snapshots;
  return request || !own->whole_ticks || own->lost != lost_so_far(recorder) || ring_complete_since(recorder) >= own->whole_ticks;
}

static void write_end(optrace_recorder *recorder, const threads_count *count, uint64_t request) {
  struct snapshots *own = recorder->snapshots;
  uint16_t seen = (uint16_t)own->written, moved = (uint16_t)count->moved, refused = (uint16_t)count->refused;
  if (own->is_whole) {
    optrace_looked_fields fields = {.seen = seen, .moved = moved, .refused = refused, .request = (uint16_t)request};
    optrace_emit2(recorder, optrace_kind_looked, 0, optrace_looked_word1(fields));
    own->whole_ticks = recorder_now(recorder);
  } else {
    while (own->compared < own->last.count) write_ended(recorder, own->last.all[own->compared++].thread);
    optrace_looked_again_fields fields = {
      .seen = (uint16_t)own->written, .unchanged = (uint16_t)own->unchanged, .moved = moved, .refused = refused,
    };
    optrace_emit2(recorder, optrace_kind_looked_again, 0, optrace_looked_again_word1(fields));
  }
}

// Prepares for a snapshot, to be compared with the last one.
static void begin_lists(optrace_recorder *recorder, uint64_t request) {
  struct snapshots *own = recorder->snapshots;
  own->is_whole = must_be_whole(recorder, request);
  own->now.count = own->compared = own->unchanged = 0;
}

static void end_lists(optrace_recorder *recorder) {
  struct snapshots *own = recorder->snapshots;
  seen_list last = own->last;
  own->last = own->now;
  own->now = last;
  own->lost = lost_so_far(recorder);
}

static void take_snapshot(optrace_recorder *recorder, uint64_t request) {
  struct snapshots *own = recorder->snapshots;
  own->number++;
  own->written = 0;
  begin_lists(recorder, request);
  own->has_runner = false;
  threads_options options = {.but = optrace_thread_id()};
  if (!stacks_wanted(recorder)) options.most_frames = 1;
  threads_count count = {0};
  const moment_calls calls = {.stack_id = stack_id, .report = report, .context = recorder};
  if (moment_take(&options, &calls, &count) != threads_visited) {
    own->whole_ticks = 0;
    return;
  }
  thread_numbers_forget(recorder, own->number);
  own->has_runner |= count.moved > 0;
  atomic_store_explicit(header_word(recorder, optrace_header_handled_signals), handled_signals(), memory_order_relaxed);
  write_end(recorder, &count, request);
  end_lists(recorder);
}

// ---- When to take one ----------------------------------------------------------------------------------------------

// Whether anything is pending: an operation that has not finished, or a thread that waits.
static bool is_pending(optrace_recorder *recorder) {
  // Pending blocks and tasks are not counted, so assume that there are some.
  if (submission_recorder() == recorder || task_recorder() == recorder) return true;
  int64_t pending = 0;
  own_lock(&recorder->lock);
  for (thread_buffer *buffer = recorder->known; buffer; buffer = buffer->next_known)
    pending += atomic_load_explicit(&buffer->pending, memory_order_relaxed);
  pthread_mutex_unlock(&recorder->lock);
  if (pending > 0) return true;
  thread_buffer *buffer = atomic_load_explicit(&recorder->waiting, memory_order_acquire);
  for (; buffer; buffer = buffer->next_waiting)
    if (wait_is_noted(&buffer->wait) || wait_is_noted(&buffer->joining)) return true;
  return false;
}

uint32_t snapshot_beats_to_next(bool has_runner, uint32_t *again) {
  static const uint32_t beats[] = {1, 2, 4};
  if (!has_runner) *again = 0;
  return has_runner && *again < sizeof beats / sizeof *beats ? beats[(*again)++] : usual_beats;
}

static void note_activity(optrace_recorder *recorder) {
  uint64_t activity;
  if (optrace_recorder_activity(recorder, &activity)) recorder->snapshots->activity = activity;
}

void snapshot_overlook(optrace_recorder *recorder, uint64_t before) {
  if (recorder->snapshots && recorder->snapshots->activity == before) note_activity(recorder);
}

static void take_next(optrace_recorder *recorder, uint64_t request, bool is_off_beat) {
  struct snapshots *own = recorder->snapshots;
  take_snapshot(recorder, request);
  if (own->has_runner && is_off_beat) return;
  own->beats_left = snapshot_beats_to_next(own->has_runner, &own->again);
  if (own->has_runner) own->off_beat_at = optrace_clock_monotonic() + off_beat;
}

uint64_t snapshot_due(optrace_recorder *recorder, uint64_t now) {
  (void)now;
  return recorder->snapshots && recorder->snapshots->off_beat_at ? recorder->snapshots->off_beat_at : UINT64_MAX;
}

static void look(optrace_recorder *recorder, struct snapshots *own, bool beats) {
  uint64_t asked = atomic_load_explicit(header_word(recorder, optrace_header_snapshot_requested), memory_order_acquire);
  if (asked != atomic_load_explicit(header_word(recorder, optrace_header_snapshot_answered), memory_order_relaxed)) {
    // Whoever asks looks at this one. A thread that wakes now and then is mostly asleep in the next.
    enum { most_tries = 3 };
    for (int tries = 0; !tries || (own->has_runner && tries < most_tries); tries++) take_next(recorder, asked, false);
    atomic_store_explicit(header_word(recorder, optrace_header_snapshot_answered), asked, memory_order_release);
    note_activity(recorder);
  }
  uint64_t now = optrace_clock_monotonic();
  bool is_off_beat = now >= snapshot_due(recorder, now);
  if (!beats && !is_off_beat) return;
  own->off_beat_at = 0;
  uint64_t activity;
  if (!optrace_recorder_activity(recorder, &activity)) return;
  if (activity != own->activity) {
    own->activity = activity;
    own->beats_left = own->again = 0;
    return;
  }
  if (!is_off_beat) {
    if (own->beats_left > 1) {
      own->beats_left--;
      return;
    }
    own->beats_left = usual_beats;
  }
  if (!is_pending(recorder)) return;
  take_next(recorder, 0, is_off_beat);
  note_activity(recorder);
}

// Asks the system for everything that it knows about the threads, which a filter may forbid. It notes its own records as no change.
bool snapshot_if_still(optrace_recorder *recorder, flusher_beat beat) {
  struct snapshots *own = recorder->snapshots;
  if (!own || !system_call_begins()) return false;
  look(recorder, own, beat == beat_full);
  system_call_ends();
  return false;
}
