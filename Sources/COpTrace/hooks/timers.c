// If blocks are not recorded, these hooks only report that the program has made a timer. If they are, the hooks in `dispatch.c` are used.
#include "timers.h"

#include "../book/book.h"
#include "../stacks/events.h"
#include "callers.h"

#if OPTRACE_HAS_HOOKS
#include <stdint.h>

typedef void (*function)(void *context);

enum { index_after, index_after_f, index_source_create };

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return timer_imports[index].real; }

// The type of timers. Null: libdispatch does not export it, so every source may be a timer.
static const void *timer;

void timers_prepare(void) { timer = book_find("_dispatch_source_type_timer"); }

void timers_see_source(const void *type, const void *caller) {
  if (!timer) events_timer_made();
  else if (type != timer) return;
  else if (caller_is_foundation(caller)) events_loop_timer_made();
  else events_timer_made();
}

static void hook_after(uint64_t when, void *queue, const void *body) {
  events_timer_made();
  ((void (*)(uint64_t, void *, const void *))real(index_after))(when, queue, body);
}

static void hook_after_f(uint64_t when, void *queue, void *context, function run) {
  events_timer_made();
  ((void (*)(uint64_t, void *, void *, function))real(index_after_f))(when, queue, context, run);
}

static void *hook_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  timers_see_source(type, __builtin_return_address(0));
  return ((void *(*)(const void *, uintptr_t, uintptr_t, void *))real(index_source_create))(type, handle, mask, queue);
}

#define TIMER(name) [index_##name] = {"dispatch_" #name, hook_##name}

hooked_import timer_imports[] = {TIMER(after), TIMER(after_f), TIMER(source_create), {0}};
#endif
