// Changes in place. The coroutine is Foundation's; what is ours is noted on the thread until it is resumed, which
// happens on the same thread, innermost first.
#include "hooks.h"

#if OPTRACE_HAS_HOOKS

enum { most_open = 16 };

static _Thread_local struct {
  uint32_t count;
  struct {
    void *frame, *object, *value;
    resume real;
    modified before, after;
  } open[most_open];
} self_state;

static SWIFT void resumed(void *frame, bool unwinding) {
  uint32_t at = self_state.count;
  while (at && self_state.open[at - 1].frame != frame) at -= 1;
  if (!at) return;  // Cannot be: only who was noted is resumed here.
  self_state.count = at - 1;
  // Whoever changes properties in the calls below uses the same places again.
  void *object = self_state.open[at - 1].object;
  resume real = self_state.open[at - 1].real;
  modified after = self_state.open[at - 1].after;
  if (self_state.open[at - 1].before) self_state.open[at - 1].before(object, self_state.open[at - 1].value);
  real(frame, unwinding);
  if (after) after(object, NULL);
}

yielded modify(modifier real, void *frame, void *object, modified before, modified after) {
  yielded result = real(frame, object);
  uint32_t at = self_state.count;
  if (at >= most_open) return result;  // Not recorded.
  self_state.count = at + 1;
  self_state.open[at].frame = frame;
  self_state.open[at].object = object;
  self_state.open[at].value = result.value;
  self_state.open[at].real = result.resume;
  self_state.open[at].before = before;
  self_state.open[at].after = after;
  return (yielded){resumed, result.value};
}
#endif
