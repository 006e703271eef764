// Putting the hooks in place and taking them out.
#include "hooks.h"

#if OPTRACE_HAS_HOOKS
#include <sys/mman.h>

// On a page that a forked child finds empty: its hooks lead straight on.
typedef struct {
  bool is_ours;
  _Atomic bool active;
  void *_Atomic watcher;
} hook_state;

static hook_state *_Atomic state;
optrace_hook_calls hook_calls;

bool hooks_active(void) {
  hook_state *s = atomic_load_explicit(&state, memory_order_acquire);
  return s && atomic_load_explicit(&s->active, memory_order_relaxed);
}

void *optrace_hooks_watcher(void) {
  hook_state *s = atomic_load_explicit(&state, memory_order_acquire);
  return s ? atomic_load_explicit(&s->watcher, memory_order_acquire) : NULL;
}

bool hooks_watch_everything(void) { return optrace_hooks_watcher() != NULL; }

static hook_state *make_state(void) {
  void *page = mmap(NULL, sizeof(hook_state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return NULL;
  if (madvise(page, sizeof(hook_state), MADV_WIPEONFORK) != 0) {
    munmap(page, sizeof(hook_state));
    return NULL;
  }
  hook_state *made = page;
  made->is_ours = true;
  return made;
}

// Looks at Foundation, and changes nothing. Null, or why it is none that we know.
static const char *prepare(const optrace_hook_calls *calls) {
  static bool is_prepared;
  if (is_prepared) return NULL;
  hook_calls = *calls;
  const char *why = classes_resolve(calls);
  is_prepared = !why;
  return why;
}

bool optrace_class_readies_itself(const void *metadata, const optrace_hook_calls *calls) {
  if (prepare(calls)) return false;
  const class_entry *class = class_know(metadata, class_operation);
  return class && class->readies_itself;
}

const char *optrace_hooks_install(const optrace_hook_calls *calls) {
  if (hooks_active()) return NULL;
  hook_state *s = state;
  if (s && !s->is_ours) return "it is a forked child, in which the hooks of its parent are idle for good";
  const char *why = prepare(calls);
  if (why) return why;
  if (!imports_resolve()) return "this Foundation lacks a function that is watched";
  blocking_prepare();
  if (!s) s = make_state();
  if (!s) return "the system gives no memory that a forked child does not share";
  atomic_store_explicit(&state, s, memory_order_release);
  atomic_store(&s->active, true);
  if (!classes_patch(true)) {
    atomic_store(&s->active, false);
    classes_patch(false);
    return "the method tables of Foundation's classes cannot be written";
  }
  hooks_refresh();
  return NULL;
}

void optrace_hooks_remove(void) {
  if (!hooks_active()) return;
  hook_state *s = state;
  atomic_store(&s->watcher, NULL);
  atomic_store(&s->active, false);
  classes_patch(false);
  objects_forget();
}

void optrace_hooks_watch(void *recorder) {
  if (!hooks_active()) return;
  atomic_store(&state->watcher, recorder);
  if (recorder) default_is_some();
}

#else

// No hooks on this system: operations that are not ours are seen in other ways, or in part.
const char *optrace_hooks_install(const optrace_hook_calls *calls) {
  (void)calls;
  return "this system has no hooks";
}
void optrace_hooks_remove(void) {}
void hooks_refresh(void) {}
// Who records everything is known here too; in a forked child that recorder does not record.
static void *_Atomic watcher;
void optrace_hooks_watch(void *recorder) {
  atomic_store(&watcher, recorder);
  if (recorder) default_is_some();
}
void *optrace_hooks_watcher(void) { return atomic_load_explicit(&watcher, memory_order_acquire); }
optrace_operation *optrace_object_find(const void *object) {
  (void)object;
  return NULL;
}
bool optrace_object_runs_itself(const void *object) {
  (void)object;
  return false;
}
bool optrace_object_is_unused(const void *object) {
  (void)object;
  return false;
}
bool optrace_class_readies_itself(const void *metadata, const optrace_hook_calls *calls) {
  (void)metadata;
  (void)calls;
  return false;
}
bool optrace_operation_ask(void *operation, void *name, void *dependencies) {
  (void)operation;
  (void)name;
  (void)dependencies;
  return false;
}
bool optrace_queue_ask(void *queue, const optrace_queue_answers *to) {
  (void)queue;
  (void)to;
  return false;
}
optrace_operation *optrace_object_know(void *object, bool is_queue) {
  (void)object;
  (void)is_queue;
  return NULL;
}
#endif
