// Modifications in place. The coroutine is Foundation's; we keep a note until it is resumed. That may happen on another thread: `await
// change(&queue.name)` keeps the access open while the task waits. So the note is found by the coroutine's frame, which belongs only to
// this access as long as it is open.
#include "modify.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>

enum { most_open = 64 };

typedef struct {
  void *_Atomic frame;  // Null: the slot is free. Only the owner of the frame uses the other fields.
  void *object, *value;
  resume real;
  modified on_change;
} change;

static change changes[most_open];

static change *find(void *frame) {
  for (uint32_t i = 0; i < most_open; i++)
    if (atomic_load_explicit(&changes[i].frame, memory_order_acquire) == frame) return &changes[i];
  return NULL;
}

static change *take(void *frame) {
  for (uint32_t i = 0; i < most_open; i++) {
    void *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&changes[i].frame, &none, frame, memory_order_acq_rel,
                                                memory_order_relaxed))
      return &changes[i];
  }
  return NULL;
}

static SWIFT void resumed(void *frame, bool unwinding) {
  change *noted = find(frame);
  if (!noted) return;  // Cannot happen, because only noted frames are resumed here.
  // Free the slot first: a modification in the calls below may need it.
  change ours = {.object = noted->object, .value = noted->value, .real = noted->real, .on_change = noted->on_change};
  atomic_store_explicit(&noted->frame, NULL, memory_order_release);
  ours.on_change(ours.object, ours.value);
  ours.real(frame, unwinding);
}

yielded modify(modifier real, void *frame, void *object, modified on_change) {
  yielded result = real(frame, object);
  change *noted = take(frame);
  if (!noted) return result;  // No slot is free, so the change is not recorded.
  noted->object = object;
  noted->value = result.value;
  noted->real = result.resume;
  noted->on_change = on_change;
  return (yielded){resumed, result.value};
}
#endif
