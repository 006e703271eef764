// How an operation is told that runs inside of Foundation's `start()`: its events, in as few records as hold them.
#include <stdatomic.h>

#include "../base/likely.h"
#include "../operations/frames.h"
#include "../operations/operation.h"
#include "emit.h"

void optrace_run_start(optrace_operation *operation, bool begins_at_once) {
  optrace_frame_push(operation);
  frame *f = begins_at_once ? frame_of(operation) : NULL;
  if (!f) return optrace_operation_event(operation, optrace_kind_started);
  f->is_untold = true;
  if (operation_has_companion(operation)) operation_tell(operation, optrace_kind_started, NULL, 0);
}

static void record_and_tell(const optrace_operation *operation, uint8_t record, uint8_t kind) {
  operation_record(operation, record);
  if (operation_has_companion(operation)) operation_tell(operation, kind, NULL, 0);
}

// Where nothing came between: its companion has heard of it.
static void tell_start(const optrace_operation *operation, frame *f) {
  if (unlikely(f->is_untold)) operation_record(operation, optrace_kind_started);
  f->is_untold = false;
}

bool optrace_run_begin(optrace_operation *operation) {
  frame *f = frame_of(operation);
  if (!f || f->phase != optrace_phase_starting) return false;
  f->phase = optrace_phase_executing;
  record_and_tell(operation, f->is_untold ? optrace_kind_started_began : optrace_kind_execution_began,
                  optrace_kind_execution_began);
  f->is_untold = false;
  return true;
}

bool optrace_run_finish(optrace_operation *operation) {
  frame *f = frame_of(operation);
  uint32_t phase = f ? f->phase : 0;
  if (phase != optrace_phase_starting && phase != optrace_phase_executing) return false;
  f->phase = optrace_phase_finished;
  tell_start(operation, f);
  record_and_tell(operation, phase == optrace_phase_executing ? optrace_kind_ended_finished : optrace_kind_finished,
                  optrace_kind_finished);
  return true;
}

void optrace_run_return(optrace_operation *operation) {
  frame *f = frame_of(operation);
  if (f) tell_start(operation, f);
  optrace_operation_event(operation, optrace_kind_start_returned);
}
