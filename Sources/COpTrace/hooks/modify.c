// Changes in place. The coroutine is Foundation's; our part is noted until it is resumed. That may be on another thread: `await
// change(&queue.name)` keeps the change open while the task waits. So the note is found by the coroutine's frame, which belongs
// to this one change while it is open.
#include "modify.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>

enum { most_open = 64 };

typedef struct {
  void *_Atomic frame;  // Null: free. Only the owner of the frame touches the rest.
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
  if (!noted) return;  // Cannot happen: only noted frames are resumed here.
  // A change in the calls below may use the same slot again.
  change ours = {.object = noted->object, .value = noted->value, .real = noted->real, .on_change = noted->on_change};
  atomic_store_explicit(&noted->frame, NULL, memory_order_release);
  ours.on_change(ours.object, ours.value);
  ours.real(frame, unwinding);
}

yielded modify(modifier real, void *frame, void *object, modified on_change) {
  yielded result = real(frame, object);
  change *noted = take(frame);
  if (!noted) return result;  // Not recorded: no slot is free.
  noted->object = object;
  noted->value = result.value;
  noted->real = result.resume;
  noted->on_change = on_change;
  return (yielded){resumed, result.value};
}
#endif
