// The state that every hook checks first.
#ifndef OPTRACE_STATE_H
#define OPTRACE_STATE_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>

// It is on a page that is zero in a forked child, so that hooks there only call the originals.
typedef struct {
  bool is_ours;
  _Atomic bool active;
  void *_Atomic watcher;
  optrace_recorder *_Atomic core;  // The watcher's.
} hook_state;

__attribute__((visibility("hidden"))) extern hook_state *_Atomic hooks_state;

// These two functions return false in a forked child, which then behaves as if there were no hooks.
static inline bool hooks_active(void) {
  hook_state *s = atomic_load_explicit(&hooks_state, memory_order_acquire);
  return s && atomic_load_explicit(&s->active, memory_order_relaxed);
}

// Whether unknown objects are introduced when hooks first see them.
static inline bool hooks_watch_everything(void) {
  hook_state *s = atomic_load_explicit(&hooks_state, memory_order_acquire);
  return s && atomic_load_explicit(&s->watcher, memory_order_acquire);
}
// Call it before the hooks are installed. Null, or the reason why they cannot be installed.
const char *hooks_prepare_state(void);
void hooks_set_active(bool active);
#endif

// The recorder that watches everything, and has the events that belong to no operation; null: none.
optrace_recorder *hooks_watching_core(void);

#endif
