// The default recorder, which is used where none is named.
#include "default.h"

#include <stdatomic.h>

static _Atomic(void *) default_recorder;
void *optrace_default(void) { return atomic_load_explicit(&default_recorder, memory_order_acquire); }
void optrace_set_default(void *recorder) {
  atomic_store_explicit(&default_recorder, recorder, memory_order_release);
  default_is_some();
}

uint32_t optrace_default_state = optrace_default_unasked;
void default_is_some(void) { __atomic_store_n(&optrace_default_state, optrace_default_some, __ATOMIC_RELEASE); }
void optrace_default_is_none(void) {
  uint32_t unasked = optrace_default_unasked;
  __atomic_compare_exchange_n(&optrace_default_state, &unasked, optrace_default_none, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
}
