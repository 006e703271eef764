#include "alive.h"

static optrace_recorder *_Atomic newest;

void alive_add(optrace_recorder *recorder) {
  recorder->made_before = atomic_load(&newest);
  while (!atomic_compare_exchange_weak(&newest, &recorder->made_before, recorder)) {}
}

optrace_recorder *alive_newest(void) { return atomic_load_explicit(&newest, memory_order_acquire); }
