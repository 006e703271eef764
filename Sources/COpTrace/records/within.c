#include "within.h"

#include <stdatomic.h>

#include "../base/likely.h"
#include "COpTraceFields.h"

static optrace_recorder *_Atomic recorder_of_spans;
static uint32_t (*_Atomic current_span)(void);

void within_set_span(optrace_recorder *recorder, uint32_t (*span)(void)) {
  atomic_store_explicit(&recorder_of_spans, recorder, memory_order_relaxed);
  atomic_store_explicit(&current_span, span, memory_order_release);
}

void optrace_record_within(optrace_recorder *recorder, uint32_t number) {
  uint32_t (*span)(void) = atomic_load_explicit(&current_span, memory_order_acquire);
  if (likely(!span) || atomic_load_explicit(&recorder_of_spans, memory_order_relaxed) != recorder) return;
  uint32_t id = span();
  if (!id) return;
  optrace_submitted_within_fields fields = {.span = id};
  optrace_emit2(recorder, optrace_kind_submitted_within, number, optrace_submitted_within_word1(fields));
}
