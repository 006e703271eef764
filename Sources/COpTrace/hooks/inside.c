#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <errno.h>

#include "../base/own_call.h"
#include "../objects/state.h"
#include "../records/buffers.h"
#include "../stacks/instructions.h"
#include "../waits/calls.h"

static _Atomic bool wants_holdups;

bool inside_are_holdups_wanted(void) { return atomic_load_explicit(&wants_holdups, memory_order_relaxed); }
void inside_want_holdups(void) { atomic_store(&wants_holdups, true); }

// The recorder, if this thread is in a turn of an event loop; else null.
static optrace_recorder *recorder_of_turn(void) {
  optrace_recorder *recorder = loops_recorder();
  const loop_note *note = recorder ? loop_known(recorder) : NULL;
  bool is_in_turn = note && !note->is_manager && atomic_load_explicit(&note->began, memory_order_relaxed);
  return is_in_turn ? recorder : NULL;
}

static work or_turn(work inside) { return inside.recorder ? inside : (work){recorder_of_turn(), 0}; }

work inside_work(void) { return or_turn(frame_work()); }
work inside_own_work(void) { return or_turn(frame_is_of_own_work() ? frame_work() : (work){NULL, 0}); }

bool inside_handler(const stack_start *start) {
  enum { deepest = 128 };
  uint64_t addresses[deepest];
  size_t count = stack_walk_here(start, addresses, deepest, NULL);
  for (size_t i = 1; i < count; i++)
    if ((unwind_rule_at(addresses[i] - 1, false) & rule_signal) || leaves_signal(addresses[i])) return true;
  return false;
}

void inside_end_left(thread_buffer *buffer, const stack_start *start) {
  if (!wait_is_noted(&buffer->wait)) return;
  uint64_t left = atomic_load_explicit(&buffer->wait.sp, memory_order_relaxed);
  if (left && left < stack_outside(start, false).sp) wait_end(buffer);
}

thread_buffer *inside_begin(uint64_t object, stack_start start) {
  if (is_own_call || !hooks_active() || optrace_frame_is_waiting()) return NULL;
  work inside = inside_work();
  if (!recorder_is_enabled(inside.recorder)) return NULL;
  // A thread without a buffer has recorded nothing. One that is writing is interrupted by a handler, whose call this is.
  thread_buffer *buffer = buffer_known(inside.recorder);
  if (!buffer || atomic_load_explicit(&buffer->is_writing, memory_order_relaxed)) return NULL;
  int error = errno;
  inside_end_left(buffer, &start);
  thread_buffer *wait = wait_begin(inside, object, start);
  errno = error;
  return wait;
}

static bool is_no_wait(const thread_buffer *buffer) {
  stack_start start = wait_start(&buffer->wait);
  return call_never_waits(atomic_load_explicit(&buffer->wait.object, memory_order_relaxed)) || inside_handler(&start);
}

void inside_end(thread_buffer *wait) {
  if (wait) wait_end_unless(wait, is_no_wait);
}
#endif
