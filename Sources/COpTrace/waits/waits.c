// Records what threads block on. A wait costs a few stores, and is recorded only if it is long.
//
// The thread notes the wait in its thread buffer. When a long wait is over, the thread records it itself. If a wait lasts, the flusher
// records it before that, so that a hang is in the trace. A compare-and-exchange of `state` decides which of the two does it.
//
// The note contains the registers from which to walk the thread's stack. The stack is walked only if the wait turns out to be long. The
// callers' frames do not change until then.
//
// A wait for an operation or a queue is recorded when it begins, so its note is only for the stack. A call that adds to a queue has its
// own note, because it may hang in one of Foundation's locks. Only the flusher records such calls, because one that returns is of no
// interest.
#include "waits.h"
#include "../base/own_lock.h"

#include <errno.h>
#include <string.h>

#include "../base/filter.h"
#include "../base/utf8.h"
#include "../orders/orders.h"
#include "../pauses/pauses.h"
#include "../records/stack_ids.h"
#include "../records/emit.h"
#include "../records/buffers.h"
#include "../records/thread_numbers.h"
#include "COpTraceFields.h"
#include "calls.h"
#include "signals.h"

// The shortest waits that are recorded, in milliseconds: those that have ended, and those that the flusher finds still open.
enum { shortest_ended_wait = 1, shortest_open_wait = 10 };
enum { longest_name = 256 };

static const char *(*_Atomic name_of)(const void *queue);

void waits_set_queue_name(const char *(*name)(const void *queue)) { atomic_store(&name_of, name); }

// Copies the name of the object, if it has one. Call it only while the object exists.
static size_t copy_name(uint64_t object, uint64_t detail, char out[longest_name]) {
  const char *(*name)(const void *) = atomic_load_explicit(&name_of, memory_order_acquire);
  optrace_unblocked_fields waited = optrace_unblocked_read(object);
  if (waited.kind == optrace_object_call) return call_words(waited.object, detail, out, longest_name);
  if (waited.kind != optrace_object_queue || !name) return 0;
  const char *text = name((const void *)(uintptr_t)waited.object);
  size_t length = text ? utf8_length(text, longest_name) : 0;
  if (length) memcpy(out, text, length);
  return length;
}

static void record_name(optrace_recorder *recorder, uint64_t object, const char *name, size_t length) {
  if (!length) return;
  uint64_t word2 = optrace_object_named_word2((optrace_object_named_fields){.object = optrace_unblocked_read(object).object});
  optrace_emit_text(recorder, optrace_kind_object_named, 0, 0, true, word2, (const uint8_t *)name, length);
}

static bool is_lock(uint64_t object) {
  uint8_t kind = optrace_unblocked_read(object).kind;
  return kind == optrace_object_mutex || kind == optrace_object_rwlock || kind == optrace_object_inheriting;
}

// Which thread had the lock when the wait began.
static void record_owner(optrace_recorder *recorder, uint64_t object, uint64_t since, uint64_t owner) {
  uint32_t thread = owner ? thread_number_make(recorder, (uint32_t)owner, NULL, 0) : 0;
  if (thread) emit_since(recorder, optrace_kind_signalled, 0, object, since, thread, recorder_now(recorder), 0);
}

static void record_signal(optrace_recorder *recorder, uint64_t object) {
  signal_record signal;
  if (!signal_find(object, &signal)) return;
  uint64_t since = signal.ticks;
  if (!recorder->use_counter && optrace_clock_has_counter()) {
    uint64_t now = optrace_counter(), age = now > signal.ticks ? now - signal.ticks : 0;
    since = recorder_now(recorder) - (uint64_t)((double)age * 1e9 / (double)optrace_clock_frequency());
  }
  bool known = signal.recorder == recorder;  // Else the numbers belong to another recorder.
  emit_since(recorder, optrace_kind_signalled, known ? signal.serial : 0, object, since, known ? signal.thread : 0,
             recorder_now(recorder), 0);
}

// ---- The thread that waits -----------------------------------------------------------------------------------------

// Called when the thread ends inside a wait or a call that adds.
static void abandon(thread_buffer *buffer);

static void list(thread_buffer *buffer) {
  if (buffer->ends) return;
  optrace_recorder *recorder = buffer->recorder;
  buffer->ends = abandon;
  buffer->next_waiting = atomic_load_explicit(&recorder->waiting, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&recorder->waiting, &buffer->next_waiting, buffer, memory_order_release,
                                                memory_order_relaxed)) {
  }
}

// Makes the flusher check waits more often. If the lock is taken, it is not told, and notices at the next heartbeat. (Without the lock
// nobody signals the condition: a signal handler that ends the program may have interrupted this.)
static void hurry(optrace_recorder *recorder) {
  if (atomic_load_explicit(&recorder->hurries, memory_order_relaxed)) return;
  atomic_store_explicit(&recorder->hurries, true, memory_order_relaxed);
  if (own_trylock(&recorder->lock) != 0) return;
  pthread_cond_signal(&recorder->wake);
  pthread_mutex_unlock(&recorder->lock);
}

// Notes where to walk the stack from. Call it before `note`.
static void note_start(thread_buffer *buffer, wait_note *w, stack_start start) {
  list(buffer);
  atomic_store_explicit(&w->pc, start.pc, memory_order_relaxed);
  atomic_store_explicit(&w->sp, start.sp, memory_order_relaxed);
  atomic_store_explicit(&w->bp, start.bp, memory_order_relaxed);
}

// Fills in a note, which makes the wait visible to the flusher. Only for the buffer's thread; the buffer must be in the list, and the
// note empty.
static inline void note(thread_buffer *buffer, wait_note *w, uint64_t object, uint32_t serial, uint64_t since) {
  uint64_t state = atomic_load_explicit(&w->state, memory_order_relaxed);
  atomic_store_explicit(&w->object, object, memory_order_relaxed);
  atomic_store_explicit(&w->serial, serial, memory_order_relaxed);
  atomic_store_explicit(&w->thread, buffer->thread, memory_order_relaxed);
  atomic_store_explicit(&w->detail, 0, memory_order_relaxed);
  atomic_store_explicit(&w->since, since, memory_order_relaxed);
  atomic_store_explicit(&w->state, state + wait_step + wait_open, memory_order_release);
}

stack_start wait_start(const wait_note *w) {
  return (stack_start){atomic_load_explicit(&w->pc, memory_order_relaxed), atomic_load_explicit(&w->sp, memory_order_relaxed),
                       atomic_load_explicit(&w->bp, memory_order_relaxed)};
}

// Empties the note. True if the flusher has recorded the wait.
static bool take_back(wait_note *w) {
  uint64_t none = atomic_load_explicit(&w->state, memory_order_relaxed) / wait_step * wait_step;
  uint64_t state = none + wait_open;
  if (atomic_compare_exchange_strong_explicit(&w->state, &state, none, memory_order_acq_rel, memory_order_acquire))
    return false;
  // The flusher is copying the object's name, so the object must exist until it is done.
  while (state % wait_step == wait_being_reported) {
    system_yield();
    state = atomic_load_explicit(&w->state, memory_order_acquire);
  }
  atomic_store_explicit(&w->state, none, memory_order_relaxed);
  return true;
}

thread_buffer *wait_begin(work inside, uint64_t object, stack_start start) {
  optrace_recorder *recorder = inside.recorder;
  if (!recorder || !atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) return NULL;
  // The waits of a thread that runs no work are recorded only if the thread has recorded something before. Otherwise it is of no interest.
  thread_buffer *buffer = inside.number ? buffer_find(recorder) : buffer_known(recorder);
  // The thread is inside another wait: in a function that a library calls to wait (with a sanitizer, libdispatch's own calls come here,
  // too), or in the clean-up of a cancelled thread. Only the outer wait is recorded.
  if (!buffer || wait_is_noted(&buffer->wait)) return NULL;
  hurry(recorder);
  note_start(buffer, &buffer->wait, start);
  note(buffer, &buffer->wait, object, inside.number, recorder_now(recorder));
  return buffer;
}

static __attribute__((noinline)) void record_end(thread_buffer *buffer, uint64_t since, bool reported) {
  int error = errno;
  optrace_recorder *recorder = buffer->recorder;
  uint64_t object = atomic_load_explicit(&buffer->wait.object, memory_order_relaxed);
  uint32_t serial = atomic_load_explicit(&buffer->wait.serial, memory_order_relaxed);
  uint64_t detail = atomic_load_explicit(&buffer->wait.detail, memory_order_relaxed);
  if (!reported) {
    char name[longest_name];
    stack_start start = wait_start(&buffer->wait);
    uint32_t stack = stack_id_here(recorder, &start);
    record_name(recorder, object, name, copy_name(object, detail, name));
    emit_since(recorder, optrace_kind_blocked, serial, object, since, 0, recorder_now(recorder), stack);
  }
  optrace_emit2(recorder, optrace_kind_unblocked, serial, object);
  if (is_lock(object)) record_owner(recorder, object, since, detail);
  else record_signal(recorder, object);
  errno = error;
}

static bool is_long(const optrace_recorder *recorder, const wait_note *w, uint64_t now) {
  uint64_t since = atomic_load_explicit(&w->since, memory_order_relaxed);
  return (int64_t)(now - since) >= (int64_t)(shortest_ended_wait * recorder->millisecond);
}

void wait_note_detail(thread_buffer *buffer, uint64_t detail) {
  atomic_store_explicit(&buffer->wait.detail, detail, memory_order_relaxed);
}

void wait_end_unless(thread_buffer *buffer, bool (*is_unsafe)(const thread_buffer *buffer)) {
  bool was_long = is_long(buffer->recorder, &buffer->wait, recorder_now(buffer->recorder));
  uint64_t since = atomic_load_explicit(&buffer->wait.since, memory_order_relaxed);
  bool reported = take_back(&buffer->wait);
  if ((reported || was_long) && !(is_unsafe && is_unsafe(buffer))) record_end(buffer, since, reported);
}

void wait_end(thread_buffer *buffer) { wait_end_unless(buffer, NULL); }

// ---- The thread that waits for an operation or a queue -------------------------------------------------------------

// Packed as in a `wait-lasts` record, without the thread.
static uint64_t target(uint32_t number, bool is_queue) {
  return optrace_wait_lasts_word1((optrace_wait_lasts_fields){.is_queue = is_queue, .on = number});
}

static void want(uint32_t number, uint8_t kind, place at) {
  orders_want(number, kind, 0, at);
  pauses_before(number, kind, at);
}

__attribute__((noinline)) void optrace_wait_begin(optrace_recorder *recorder, uint32_t number, bool is_queue) {
  if (!recorder_is_enabled(recorder)) return;
  optrace_emit1(recorder, is_queue ? optrace_kind_queue_wait_began : optrace_kind_wait_began, number);
  if (orders_are_wanted()) want(number, is_queue ? optrace_held_whole_queue : optrace_held_operation, place_here());
  thread_buffer *buffer = buffer_known(recorder);
  if (!buffer || wait_is_noted(&buffer->joining) || !stacks_wanted(recorder)) return;
  stack_start here = stack_here();
  hurry(recorder);
  note_start(buffer, &buffer->joining, stack_outside(&here, false));
  note(buffer, &buffer->joining, target(number, is_queue), 0, recorder_now(recorder));
}

void optrace_wait_end(optrace_recorder *recorder, uint32_t number, bool is_queue) {
  uint8_t kind = is_queue ? optrace_kind_queue_wait_ended : optrace_kind_wait_ended;
  uint32_t stack = 0;
  thread_buffer *buffer = buffer_known(recorder);
  if (buffer && wait_is_noted(&buffer->joining) &&
      atomic_load_explicit(&buffer->joining.object, memory_order_relaxed) == target(number, is_queue)) {
    bool was_long = is_long(recorder, &buffer->joining, recorder_now(recorder));
    stack_start start = wait_start(&buffer->joining);
    if (!take_back(&buffer->joining) && was_long) stack = stack_id_here(recorder, &start);
  }
  optrace_emit1_at(recorder, kind, number, stack);
}

// ---- The thread that adds ------------------------------------------------------------------------------------------

// These notes have no start of a stack, because the trace already shows where the operation was added.

static void end_adding(thread_buffer *buffer) {
  if (!take_back(&buffer->adding)) return;
  uint32_t serial = atomic_load_explicit(&buffer->adding.serial, memory_order_relaxed);
  uint64_t object = atomic_load_explicit(&buffer->adding.object, memory_order_relaxed);
  optrace_emit2(buffer->recorder, optrace_kind_unblocked, serial, object);
}

static uint64_t adding_to(const void *queue) {
  return waited_object(queue, optrace_object_adding);
}

static inline void note_adding(thread_buffer *buffer, const void *queue, uint32_t serial) {
  note(buffer, &buffer->adding, adding_to(queue), serial, recorder_now(buffer->recorder));
}

static __attribute__((noinline)) optrace_adding begin_adding_slowly(optrace_recorder *recorder, const void *queue, uint32_t serial,
                                                                    bool is_barrier) {
  optrace_adding adding = {0};
  thread_buffer *buffer = buffer_find(recorder);
  if (!buffer) return adding;
  if (is_barrier) hurry(recorder);
  list(buffer);
  adding.recorder = recorder;
  // Foundation's adding call has called code of the program that adds something, too. If one of the two calls hangs, it is the inner
  // one, so that is noted.
  if (wait_is_noted(&buffer->adding)) {
    adding.outer_object = atomic_load_explicit(&buffer->adding.object, memory_order_relaxed);
    adding.outer_since = atomic_load_explicit(&buffer->adding.since, memory_order_relaxed);
    adding.outer_serial = atomic_load_explicit(&buffer->adding.serial, memory_order_relaxed);
    end_adding(buffer);
  }
  note_adding(buffer, queue, serial);
  return adding;
}

optrace_adding optrace_adding_begin(optrace_recorder *recorder, const void *queue, uint32_t serial, bool is_barrier) {
  if (!recorder_is_enabled(recorder)) return (optrace_adding){0};
  thread_buffer *buffer = this_thread.buffers;
  if (unlikely(!buffer || buffer->recorder != recorder || !buffer->ends || is_barrier || wait_is_noted(&buffer->adding)))
    return begin_adding_slowly(recorder, queue, serial, is_barrier);
  note_adding(buffer, queue, serial);
  return (optrace_adding){.recorder = recorder};
}

void optrace_adding_end(const optrace_adding *adding) {
  if (!adding->recorder) return;
  // Look up the buffer again: if the recorder has stopped meanwhile, the old one may have been freed.
  thread_buffer *buffer = buffer_known(adding->recorder);
  if (!buffer || !wait_is_noted(&buffer->adding)) return;
  end_adding(buffer);
  if (adding->outer_object) note(buffer, &buffer->adding, adding->outer_object, adding->outer_serial, adding->outer_since);
}

static void abandon(thread_buffer *buffer) {
  if (wait_is_noted(&buffer->wait)) wait_end(buffer);
  if (wait_is_noted(&buffer->adding)) end_adding(buffer);
  if (wait_is_noted(&buffer->joining)) take_back(&buffer->joining);
}

// ---- The flusher ----------------------------------------------------------------------------------------------------

// A lock or a call that a program hangs in is told from snapshots, so these waits are recorded only once they are over.
static bool is_told_by_snapshots(const wait_note *w) {
  uint64_t object = atomic_load_explicit(&w->object, memory_order_relaxed);
  return is_lock(object) || optrace_unblocked_read(object).kind == optrace_object_call;
}

static void report_wait(optrace_recorder *recorder, thread_buffer *buffer, wait_note *w) {
  uint64_t state = atomic_load_explicit(&w->state, memory_order_acquire);
  if (state % wait_step != wait_open) return;
  // These values belong together if the exchange below succeeds.
  uint64_t object = atomic_load_explicit(&w->object, memory_order_relaxed);
  uint64_t since = atomic_load_explicit(&w->since, memory_order_relaxed);
  uint32_t serial = atomic_load_explicit(&w->serial, memory_order_relaxed);
  uint32_t thread = atomic_load_explicit(&w->thread, memory_order_relaxed);
  uint64_t detail = atomic_load_explicit(&w->detail, memory_order_relaxed);
  // Read the clock before the exchange. The thread may record the end of the wait soon after it, while this thread is preempted, and the
  // end must not be earlier than this record.
  uint64_t now = recorder_now(recorder);
  if ((int64_t)(now - since) < (int64_t)(shortest_open_wait * recorder->millisecond)) return;
  uint64_t next = state - wait_open + wait_being_reported;
  if (!atomic_compare_exchange_strong_explicit(&w->state, &state, next, memory_order_acq_rel,
                                               memory_order_relaxed))
    return;
  // From now on the thread cannot leave its wait until the state is `wait_reported`.
  stack_start start = wait_start(w);
  uint32_t stack = stack_id_of_thread(recorder, &start, buffer->stack_high);
  char name[longest_name];
  size_t length = w == &buffer->joining ? 0 : copy_name(object, detail, name);
  atomic_store_explicit(&w->state, next - wait_being_reported + wait_reported, memory_order_release);
  if (w == &buffer->joining) {
    optrace_wait_lasts_fields fields = {.thread = thread, .at = stack};
    uint64_t word1 = object | optrace_wait_lasts_word1(fields);
    if (stack) optrace_emit3(recorder, optrace_kind_wait_lasts, 0, word1, optrace_wait_lasts_word2(fields));
    return;
  }
  emit_since(recorder, optrace_kind_blocked, serial, object, since, thread, now, stack);
  record_name(recorder, object, name, length);
  if (is_lock(object)) record_owner(recorder, object, since, detail);
  else record_signal(recorder, object);
}

bool waits_report(optrace_recorder *recorder, flusher_beat beat) {
  (void)beat;
  thread_buffer *buffer = atomic_load_explicit(&recorder->waiting, memory_order_acquire);
  for (; buffer; buffer = buffer->next_waiting) {
    if (!is_told_by_snapshots(&buffer->wait)) report_wait(recorder, buffer, &buffer->wait);
    report_wait(recorder, buffer, &buffer->adding);
    report_wait(recorder, buffer, &buffer->joining);
  }
  return false;  // A wait that lasts is news of the program.
}

// Waits are checked this often once a thread has waited or a barrier was added. Until then they are checked with each heartbeat.
enum { nanoseconds_between_checks = 100000000 };

uint64_t waits_due(optrace_recorder *recorder, uint64_t now) {
  return atomic_load_explicit(&recorder->hurries, memory_order_relaxed) ? now + nanoseconds_between_checks : UINT64_MAX;
}
