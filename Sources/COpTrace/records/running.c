// Records the run of an operation inside Foundation's `start()`, in as few records as possible.
#include "../held/work.h"
#include "../operations/frames.h"
#include "fast_path.h"
#include "emit.h"

bool optrace_run_start(optrace_operation *operation, bool goes_on_to_code) {
  frame_push(operation);
  held_work_begins(optrace_operation_serial(operation));
  frame *f = frame_of(operation);
  if (!f || !goes_on_to_code) {
    optrace_operation_event(operation, optrace_kind_started);
    return f;
  }
  f->is_start_pending = true;
  if (operation_has_companion(operation)) operation_notify(operation, optrace_kind_started, NULL, 0);
  return true;
}

static __attribute__((noinline)) bool notify_slowly(const optrace_operation *operation, optrace_recorder *recorder, uint8_t record,
                                                    uint8_t kind, bool is_recorded) {
  if (!is_recorded && recorder) record_slowly(operation, recorder, record);
  if (operation_has_companion(operation)) operation_notify(operation, kind, NULL, 0);
  return true;
}

// Writes `record` and notifies the companion of `kind`. Always true.
static inline bool record_and_notify(const optrace_operation *operation, uint8_t record, uint8_t kind) {
  optrace_recorder *recorder = operation_recorder(operation);
  bool is_recorded = likely(recorder != NULL) && record_fast(operation, recorder, record);
  if (likely(is_recorded && !operation_has_companion(operation))) return true;
  return notify_slowly(operation, recorder, record, kind, is_recorded);
}

static inline void record(const optrace_operation *operation, uint8_t kind) {
  optrace_recorder *recorder = operation_recorder(operation);
  if (recorder && !record_fast(operation, recorder, kind)) record_slowly(operation, recorder, kind);
}

// Writes a start that was held back for a combined record, because something else happened first. The companion has already been
// notified.
static void record_start(const optrace_operation *operation, frame *f) {
  f->is_start_pending = false;
  record(operation, optrace_kind_started);
}

bool optrace_run_begin(optrace_operation *operation) {
  frame *f = frame_of(operation);
  if (!f || f->phase != optrace_phase_starting) return false;
  f->phase = optrace_phase_executing;
  uint8_t kind = f->is_start_pending ? optrace_kind_started_began : optrace_kind_execution_began;
  f->is_start_pending = false;
  return record_and_notify(operation, kind, optrace_kind_execution_began);
}

// The operation finished before its code began.
static __attribute__((noinline)) bool finish_at_start(const optrace_operation *operation, frame *f) {
  if (f->is_start_pending) record_start(operation, f);
  return record_and_notify(operation, optrace_kind_finished, optrace_kind_finished);
}

bool optrace_run_finish(optrace_operation *operation) {
  frame *f = frame_of(operation);
  uint32_t phase = f ? f->phase : 0;
  if (phase != optrace_phase_starting && phase != optrace_phase_executing) return false;
  f->phase = optrace_phase_finished;
  if (unlikely(phase == optrace_phase_starting)) return finish_at_start(operation, f);
  return record_and_notify(operation, optrace_kind_ended_finished, optrace_kind_finished);
}

void optrace_run_return(optrace_operation *operation) {
  frame *f = frame_of(operation);
  if (unlikely(f && f->is_start_pending)) record_start(operation, f);
  held_work_ends(optrace_operation_serial(operation));
  frame_pop();
  // Only recorded: companions are not notified of this event.
  record(operation, optrace_kind_start_returned);
}
