#include "recording.h"

#include <stdatomic.h>

static optrace_recorder *_Atomic recorder_of_orders;

optrace_recorder *orders_recorder(void) { return atomic_load_explicit(&recorder_of_orders, memory_order_acquire); }
void orders_set_recorder(optrace_recorder *recorder) { atomic_store_explicit(&recorder_of_orders, recorder, memory_order_release); }
