// Whether the hooks record anything, and in which recorder.
#include "state.h"

#include "../base/wiped.h"
#include "../life/default.h"

#if OPTRACE_HAS_HOOKS
hook_state *_Atomic hooks_state;

void *optrace_hooks_watcher(void) {
  hook_state *s = atomic_load_explicit(&hooks_state, memory_order_acquire);
  return s ? atomic_load_explicit(&s->watcher, memory_order_acquire) : NULL;
}

static hook_state *make_state(void) {
  hook_state *made = wiped_pages(sizeof(hook_state));
  if (made) made->is_ours = true;
  return made;
}

const char *hooks_prepare_state(void) {
  hook_state *s = hooks_state;
  if (s) return s->is_ours ? NULL : "this is a forked child, where the parent's hooks stay inactive";
  s = make_state();
  if (!s) return "the system has no memory that is wiped in a forked child";
  atomic_store_explicit(&hooks_state, s, memory_order_release);
  return NULL;
}

void hooks_set_active(bool active) {
  if (!active) {
    atomic_store(&hooks_state->watcher, NULL);
    atomic_store(&hooks_state->core, NULL);
  }
  atomic_store(&hooks_state->active, active);
}

optrace_recorder *hooks_watching_core(void) {
  hook_state *s = atomic_load_explicit(&hooks_state, memory_order_acquire);
  return s ? atomic_load_explicit(&s->core, memory_order_acquire) : NULL;
}

void optrace_hooks_watch(void *recorder, optrace_recorder *core) {
  if (!hooks_active()) return;
  atomic_store(&hooks_state->watcher, recorder);
  atomic_store(&hooks_state->core, core);
  if (recorder) default_is_some();
}

#else
// Without hooks nobody watches everything.
void optrace_hooks_watch(void *recorder, optrace_recorder *core) { (void)recorder, (void)core; }
void *optrace_hooks_watcher(void) { return NULL; }
#endif
