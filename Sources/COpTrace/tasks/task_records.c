#include "task_records.h"

#include "../base/utf8.h"
#include "../records/stack_ids.h"
#include "../records/emit.h"
#include "../stacks/modules.h"
#include "COpTraceFields.h"

static optrace_recorder *_Atomic recorder_of_tasks;

void record_tasks(optrace_recorder *recorder) {
  atomic_store_explicit(&recorder_of_tasks, recorder, memory_order_release);
}

optrace_recorder *task_recorder(void) {
  optrace_recorder *recorder = atomic_load_explicit(&recorder_of_tasks, memory_order_acquire);
  return recorder_is_enabled(recorder) ? recorder : NULL;
}

uint32_t task_next_number(optrace_recorder *recorder) {
  uint32_t number = optrace_recorder_next_serial(recorder);
  return number ? number : task_not_ours;
}

static uint32_t work_here(const optrace_recorder *recorder) {
  work here = frame_work();
  return here.recorder == recorder ? here.number : 0;
}

// The program's innermost frames. More than one, because the first may be a function of Swift's that was compiled into the program, such
// as `Task.init`.
static uint32_t stack_id_of_creator(optrace_recorder *recorder, optrace_start here) {
  enum { farthest = 24, wanted = 4 };
  uint64_t addresses[wanted];
  size_t count = 0;
  stack_start at = stack_outside(&here, false);
  for (int i = 0; i < farthest && at.pc && count < wanted; i++, at = stack_outside(&at, true))
    if (count || module_is_own(at.pc - 1)) addresses[count++] = at.pc;
  return stack_id_of(recorder, addresses, count, count);
}

task_making task_is_made(optrace_recorder *recorder, const uint64_t *code, size_t count, optrace_start here) {
  task_making making = {work_here(recorder), 0, 0};
  if (!stacks_wanted(recorder)) {
    making.runs = function_id(recorder, code[0]);
    return making;
  }
  // Add one byte, so that they look like return addresses.
  uint64_t addresses[most_task_codes];
  for (size_t i = 0; i < count; i++) addresses[i] = code[i] + 1;
  making.runs = stack_id_of(recorder, addresses, count, count);
  if (atomic_load_explicit(&recorder->stacks, memory_order_relaxed) == optrace_stacks_all) {
    bool is_entry = optrace_entry_begin(here, 0);
    making.at = optrace_caller_stack(recorder);
    optrace_entry_end(is_entry);
  } else {
    making.at = stack_id_of_creator(recorder, here);
  }
  return making;
}

void task_created(optrace_recorder *recorder, uint32_t number, const task_making *making, uint32_t how, uint32_t priority,
                  bool is_enqueued, bool is_main) {
  optrace_task_created_fields fields = {
    .by = making->by, .how = (uint8_t)how, .priority = (uint8_t)priority, .enqueued = is_enqueued, .main = is_main, .code = making->runs,
    .at = making->at,
  };
  optrace_emit3(recorder, optrace_kind_task_created, number, optrace_task_created_word1(fields), optrace_task_created_word2(fields));
  optrace_record_within(recorder, number);
}

void task_named(optrace_recorder *recorder, uint32_t number, const char *name) {
  size_t length = utf8_length(name, optrace_format_longest_text);
  if (length) optrace_emit_text(recorder, optrace_kind_operation_named, number, 0, false, 0, (const uint8_t *)name, length);
}

void task_enqueued(optrace_recorder *recorder, uint32_t number, bool is_main) {
  optrace_task_enqueued_fields fields = {.by = work_here(recorder), .main = is_main};
  optrace_emit2(recorder, optrace_kind_task_enqueued, number, optrace_task_enqueued_word1(fields));
}

void task_queued(optrace_recorder *recorder, uint32_t number, uint32_t actor, uint32_t class_id) {
  optrace_task_queued_fields fields = {.actor = actor, .class_ = (uint16_t)class_id, .by = work_here(recorder)};
  optrace_emit3(recorder, optrace_kind_task_queued, number, optrace_task_queued_word1(fields),
                optrace_task_queued_word2(fields));
}

void task_resumed(optrace_recorder *recorder, uint32_t number, uint32_t how) {
  optrace_task_resumed_fields fields = {.by = work_here(recorder), .how = (uint8_t)how};
  optrace_emit2(recorder, optrace_kind_task_resumed, number, optrace_task_resumed_word1(fields));
}

void task_runs(optrace_recorder *recorder, uint32_t number) { optrace_emit1(recorder, optrace_kind_task_run, number); }

void task_suspended(optrace_recorder *recorder, uint32_t number, uint32_t reason, uint32_t awaited, uint32_t stack) {
  optrace_task_suspended_fields fields = {.reason = (uint8_t)reason, .for_ = awaited};
  optrace_emit2_at(recorder, optrace_kind_task_suspended, number, optrace_task_suspended_word1(fields), stack);
}

void task_completed(optrace_recorder *recorder, uint32_t number) {
  optrace_emit1(recorder, optrace_kind_task_completed, number);
}

void task_cancelled(optrace_recorder *recorder, uint32_t number) {
  optrace_emit1(recorder, optrace_kind_cancel_requested, number);
}
