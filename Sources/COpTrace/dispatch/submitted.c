#include "submitted.h"

#include "../held/work.h"
#include "../operations/frames.h"
#include "../pauses/pauses.h"
#include "../records/stack_ids.h"
#include "../records/emit.h"
#include "COpTraceFields.h"
#include "queues.h"

static optrace_recorder *_Atomic recorder_of_blocks;

void record_submitted(optrace_recorder *recorder) {
  dispatch_queues_prepare();
  if (recorder) dispatch_queues_begin(recorder);
  atomic_store_explicit(&recorder_of_blocks, recorder, memory_order_release);
}

optrace_recorder *submission_recorder(void) {
  optrace_recorder *recorder = atomic_load_explicit(&recorder_of_blocks, memory_order_acquire);
  return recorder_is_enabled(recorder) ? recorder : NULL;
}

static bool is_alone(uint32_t how) { return (how & submitted_alone) || (how & submitted_ways) == submitted_barrier; }

uint32_t submitted(optrace_recorder *recorder, void *queue, uint32_t how, uint64_t code, optrace_start here) {
  uint32_t on = dispatch_queue_number(recorder, queue);
  uint32_t number = on == dispatch_queue_not_ours ? 0 : optrace_recorder_next_serial(recorder);
  if (!number) return 0;
  dispatch_queue_shape shape = dispatch_queue_shape_of(on);
  // Where the caller waits, it tells that itself.
  if (shape != dispatch_queue_global && (how & submitted_ways) != submitted_sync)
    held_work_is_given(number, on, optrace_held_queue, shape == dispatch_queue_concurrent && !is_alone(how) ? held_reader : 0);
  uint32_t runs = code ? function_id(recorder, code) : 0;
  bool is_entry = optrace_entry_begin(here, 0);
  uint32_t at = optrace_caller_stack(recorder);
  optrace_entry_end(is_entry);
  work by = frame_work();
  optrace_block_submitted_fields fields = {
    .by = by.recorder == recorder ? by.number : 0, .queue = on, .how = how & submitted_ways, .group = how & submitted_in_group,
    .item = how & submitted_as_item,
    .alone = is_alone(how), .code = runs, .at = at,
  };
  optrace_emit3(recorder, optrace_kind_block_submitted, number, optrace_block_submitted_word1(fields),
                optrace_block_submitted_word2(fields));
  optrace_record_within(recorder, number);
  return number;
}

void submitted_begins(optrace_recorder *recorder, uint32_t number) {
  if (!number) return;
  frame_push_work((work){recorder, number});
  held_work_begins(number);
  optrace_emit1(recorder, optrace_kind_run_began, number);
  pauses_before_work(number, pauses_begins);
}

void submitted_ends(optrace_recorder *recorder, uint32_t number) {
  if (!number) return;
  optrace_emit1(recorder, optrace_kind_run_ended, number);
  held_work_ends(number);
  optrace_frame_pop();
}

void submitted_dropped(optrace_recorder *recorder, uint32_t number) {
  if (number) optrace_emit1(recorder, optrace_kind_block_dropped, number);
}

void submitted_cancelled(optrace_recorder *recorder, uint32_t number) {
  if (number) optrace_emit1(recorder, optrace_kind_cancel_requested, number);
}
