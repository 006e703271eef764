// What the hooks look at first.
#ifndef OPTRACE_STATE_H
#define OPTRACE_STATE_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>

// On a page that a forked child finds empty: its hooks lead straight on.
typedef struct {
  bool is_ours;
  _Atomic bool active;
  void *_Atomic watcher;
  optrace_recorder *_Atomic core;  // The watcher's.
} hook_state;

__attribute__((visibility("hidden"))) extern hook_state *_Atomic hooks_state;

// In a forked child both are false: it goes on as if there were no hooks.
static inline bool hooks_active(void) {
  hook_state *s = atomic_load_explicit(&hooks_state, memory_order_acquire);
  return s && atomic_load_explicit(&s->active, memory_order_relaxed);
}

// Whether what nobody has introduced is introduced when it is met.
static inline bool hooks_watch_everything(void) {
  hook_state *s = atomic_load_explicit(&hooks_state, memory_order_acquire);
  return s && atomic_load_explicit(&s->watcher, memory_order_acquire);
}
// The recorder of what belongs to no operation; null: nobody is.
optrace_recorder *hooks_watching_core(void);
// What the recorder's Swift part does.
extern optrace_hook_calls hook_calls;

// Before the hooks are put in place. Null, or why it cannot be.
const char *hooks_prepare_state(void);
void hooks_set_active(bool active);
#endif

#endif
