// Hooks the function that each access to a lazy global may call. So if the initialiser has finished, the hook costs only one comparison.
#include "once.h"

#include "../objects/state.h"
#include "../waits/once.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>
#include <stdint.h>

typedef void (*initialiser)(void *context);
typedef void (*runtimes)(void *token, initialiser run, void *context);

static ORDERED_BY_EXCHANGE runtimes real(void) { return (runtimes)once_imports[0].real; }

// The value of a token's word after its initialiser has finished; 0: not known, and then calls are not noted. The runtime's layout is not
// documented, but it is the same for each token.
static _Atomic uint32_t mark_of_over;

static void nothing(void *context) { (void)context; }

void once_prepare(void) {
  static _Alignas(16) _Atomic uint32_t token[4];
  if (!real()) return;
  real()((void *)token, nothing, NULL);
  atomic_store(&mark_of_over, atomic_load(&token[0]));
}

typedef struct {
  initialiser run;
  void *context;
  uint32_t number;
} use;

static void run_used(void *context) {
  const use *u = context;
  once_runs(u->number);
  u->run(u->context);
}

static void hook_once(void *token, initialiser run, void *context) {
  uint32_t mark = atomic_load_explicit(&mark_of_over, memory_order_relaxed);
  bool is_over = atomic_load_explicit((_Atomic uint32_t *)token, memory_order_acquire) == mark;
  if (!mark || is_over || !hooks_active()) return real()(token, run, context);
  use u = {run, context, once_enter(token, stack_here())};
  real()(token, run_used, &u);
  once_leave(u.number);
}

hooked_import once_imports[] = {{"swift_once", hook_once}, {0}};
#endif
