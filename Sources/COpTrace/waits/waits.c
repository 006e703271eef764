// What a thread blocks on, told of only when it lasts: a wait costs some stores, and a record when it was long.
//
// The thread notes its wait in its lane. When it is over, the thread itself tells of it; while it lasts, the recorder's
// keeper does, so that a hang is in the trace. One compare-and-exchange of `state` decides which of them it is.
//
// A call that adds to a queue is noted in the same way, beside the waits: it may hang in a lock of Foundation's own. One
// that returns is of no interest, so only the keeper tells of it.
#include "waits.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "../records/emit.h"
#include "../records/lanes.h"
#include "signals.h"

// The low bits of `state`; those above count the thread's waits.
enum { wait_none = 0, wait_open = 1, wait_being_told = 2, wait_told = 3, wait_step = 4 };
// What is told of: ends of waits of a millisecond, and waits that last for ten.
enum { told_at_end = 1, told_by_keeper = 10 };
enum { longest_name = 256 };

static const char *(*_Atomic name_of)(const void *queue);

void waits_set_queue_name(const char *(*name)(const void *queue)) { atomic_store(&name_of, name); }

// The name of what is waited on, where it has one. Only while the object lives.
static size_t copy_name(uint64_t object, char out[longest_name]) {
  const char *(*name)(const void *) = atomic_load_explicit(&name_of, memory_order_acquire);
  if (object >> 48 != optrace_object_queue || !name) return 0;
  const char *text = name((const void *)(uintptr_t)(object & (((uint64_t)1 << 48) - 1)));
  size_t length = text ? strnlen(text, longest_name) : 0;
  // Not in the middle of a character.
  if (length == longest_name)
    do length -= 1;
    while (length && ((uint8_t)text[length] & 0xC0) == 0x80);
  if (length) memcpy(out, text, length);
  return length;
}

static void tell_name(optrace_recorder *recorder, uint64_t object, const char *name, size_t length) {
  if (!length) return;
  optrace_emit_text(recorder, optrace_kind_object_named, 0, 0, true, object & (((uint64_t)1 << 48) - 1),
                    (const uint8_t *)name, length);
}

static void tell_signal(optrace_recorder *recorder, uint64_t object) {
  signal_record signal;
  if (!signal_find(object, &signal)) return;
  uint64_t since = signal.ticks;
  if (!recorder->use_counter && optrace_clock_has_counter()) {
    uint64_t now = optrace_counter(), age = now > signal.ticks ? now - signal.ticks : 0;
    since = recorder_now(recorder) - (uint64_t)((double)age * 1e9 / (double)optrace_clock_frequency());
  }
  bool known = signal.recorder == recorder;  // The numbers are this recorder's.
  emit_since(recorder, optrace_kind_signalled, known ? signal.serial : 0, object, since, known ? signal.thread : 0,
             recorder_now(recorder));
}

// ---- The thread that waits -----------------------------------------------------------------------------------------

// The thread will not come back from its wait or its adding call, if it is in one.
static void abandon(lane *l);

static void list(lane *l) {
  optrace_recorder *recorder = l->recorder;
  l->ends = abandon;
  l->next_waiting = atomic_load_explicit(&recorder->waiting, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&recorder->waiting, &l->next_waiting, l, memory_order_release,
                                                memory_order_relaxed)) {
  }
}

// From now on the keeper looks more often. When it does not hear this, it is told by its next beat.
static void hurry(optrace_recorder *recorder) {
  if (atomic_load_explicit(&recorder->hurries, memory_order_relaxed)) return;
  atomic_store_explicit(&recorder->hurries, true, memory_order_relaxed);
  pthread_cond_signal(&recorder->wake);
}

static bool is_noted(const lane_wait *w) {
  return atomic_load_explicit(&w->state, memory_order_relaxed) % wait_step != wait_none;
}

// By the lane's thread; nothing is noted there.
static void note(lane *l, lane_wait *w, uint64_t object, uint32_t serial, uint64_t since) {
  if (!l->ends) list(l);
  uint64_t state = atomic_load_explicit(&w->state, memory_order_relaxed);
  atomic_store_explicit(&w->object, object, memory_order_relaxed);
  atomic_store_explicit(&w->serial, serial, memory_order_relaxed);
  atomic_store_explicit(&w->thread, l->thread, memory_order_relaxed);
  atomic_store_explicit(&w->since, since, memory_order_relaxed);
  atomic_store_explicit(&w->state, state + wait_step + wait_open, memory_order_release);
}

// Takes the note back. True when the keeper has told of it.
static bool take_back(lane_wait *w) {
  uint64_t none = atomic_load_explicit(&w->state, memory_order_relaxed) / wait_step * wait_step;
  uint64_t state = none + wait_open;
  if (atomic_compare_exchange_strong_explicit(&w->state, &state, none, memory_order_acq_rel, memory_order_acquire))
    return false;
  // The keeper copies a name right now; the object must live until it has it.
  while (state % wait_step == wait_being_told) {
    sched_yield();
    state = atomic_load_explicit(&w->state, memory_order_acquire);
  }
  atomic_store_explicit(&w->state, none, memory_order_relaxed);
  return true;
}

lane *wait_begin(const optrace_operation *operation, uint64_t object) {
  optrace_recorder *recorder = optrace_operation_recorder(operation);
  if (!recorder || !atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) return NULL;
  lane *l = lane_find(recorder);
  // Inside of a wait: what a library calls to do it (a sanitizer's build has libdispatch's own calls come here too), or
  // what a cancelled thread does to clean up. The outer one stands for it.
  if (!l || is_noted(&l->wait)) return NULL;
  hurry(recorder);
  note(l, &l->wait, object, optrace_operation_serial(operation), recorder_now(recorder));
  return l;
}

static __attribute__((noinline)) void tell_end(lane *l, uint64_t since, bool told) {
  int error = errno;
  optrace_recorder *recorder = l->recorder;
  uint64_t object = atomic_load_explicit(&l->wait.object, memory_order_relaxed);
  uint32_t serial = atomic_load_explicit(&l->wait.serial, memory_order_relaxed);
  if (!told) {
    char name[longest_name];
    tell_name(recorder, object, name, copy_name(object, name));
    emit_since(recorder, optrace_kind_blocked, serial, object, since, 0, recorder_now(recorder));
  }
  optrace_emit2(recorder, optrace_kind_unblocked, serial, object);
  tell_signal(recorder, object);
  errno = error;
}

void wait_end(lane *l) {
  uint64_t now = recorder_now(l->recorder);
  uint64_t since = atomic_load_explicit(&l->wait.since, memory_order_relaxed);
  bool told = take_back(&l->wait);
  if (told || (int64_t)(now - since) >= (int64_t)(told_at_end * l->recorder->millisecond)) tell_end(l, since, told);
}

// ---- The thread that adds ------------------------------------------------------------------------------------------

static void end_adding(lane *l) {
  if (!take_back(&l->adding)) return;
  uint32_t serial = atomic_load_explicit(&l->adding.serial, memory_order_relaxed);
  optrace_emit2(l->recorder, optrace_kind_unblocked, serial, atomic_load_explicit(&l->adding.object, memory_order_relaxed));
}

optrace_adding optrace_adding_begin(optrace_recorder *recorder, const void *queue, uint32_t serial, bool is_barrier) {
  optrace_adding adding = {0};
  if (!recorder || !atomic_load_explicit(&recorder->enabled, memory_order_relaxed)) return adding;
  lane *l = lane_find(recorder);
  if (!l) return adding;
  if (is_barrier) hurry(recorder);
  adding.recorder = recorder;
  // The program's own code, which an adding call runs, adds something: if one of the two hangs, it is the inner one.
  if (is_noted(&l->adding)) {
    adding.outer_object = atomic_load_explicit(&l->adding.object, memory_order_relaxed);
    adding.outer_since = atomic_load_explicit(&l->adding.since, memory_order_relaxed);
    adding.outer_serial = atomic_load_explicit(&l->adding.serial, memory_order_relaxed);
    end_adding(l);
  }
  uint64_t object = ((uintptr_t)queue & (((uint64_t)1 << 48) - 1)) | (uint64_t)optrace_object_adding << 48;
  note(l, &l->adding, object, serial, recorder_now(recorder));
  return adding;
}

void optrace_adding_end(const optrace_adding *adding) {
  if (!adding->recorder) return;
  // Looked for again: that of a recorder that has stopped meanwhile may be gone.
  lane *l = lane_known(adding->recorder);
  if (!l || !is_noted(&l->adding)) return;
  end_adding(l);
  if (adding->outer_object) note(l, &l->adding, adding->outer_object, adding->outer_serial, adding->outer_since);
}

static void abandon(lane *l) {
  if (is_noted(&l->wait)) wait_end(l);
  if (is_noted(&l->adding)) end_adding(l);
}

// ---- The keeper ----------------------------------------------------------------------------------------------------

static void look(optrace_recorder *recorder, lane_wait *w) {
  uint64_t state = atomic_load_explicit(&w->state, memory_order_acquire);
  if (state % wait_step != wait_open) return;
  // All of one wait, if the exchange below succeeds.
  uint64_t object = atomic_load_explicit(&w->object, memory_order_relaxed);
  uint64_t since = atomic_load_explicit(&w->since, memory_order_relaxed);
  uint32_t serial = atomic_load_explicit(&w->serial, memory_order_relaxed);
  uint32_t thread = atomic_load_explicit(&w->thread, memory_order_relaxed);
  // The record's time lies before the exchange: the thread tells of the end as soon as it sees that this is being told, and
  // this thread may have to wait for a processor in between.
  uint64_t now = recorder_now(recorder);
  if ((int64_t)(now - since) < (int64_t)(told_by_keeper * recorder->millisecond)) return;
  uint64_t next = state - wait_open + wait_being_told;
  if (!atomic_compare_exchange_strong_explicit(&w->state, &state, next, memory_order_acq_rel,
                                               memory_order_relaxed))
    return;
  char name[longest_name];
  size_t length = copy_name(object, name);
  atomic_store_explicit(&w->state, next - wait_being_told + wait_told, memory_order_release);
  emit_since(recorder, optrace_kind_blocked, serial, object, since, thread, now);
  tell_name(recorder, object, name, length);
  tell_signal(recorder, object);
}

void waits_tell(optrace_recorder *recorder) {
  lane *l = atomic_load_explicit(&recorder->waiting, memory_order_acquire);
  for (; l; l = l->next_waiting) {
    look(recorder, &l->wait);
    look(recorder, &l->adding);
  }
}
