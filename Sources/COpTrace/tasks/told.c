#include "told.h"

#include <string.h>

#include "../places/places.h"
#include "../records/emit.h"
#include "../stacks/modules.h"

static optrace_recorder *_Atomic recorder_of_tasks;

void record_tasks(optrace_recorder *recorder, uint32_t (*define)(void *context, uint64_t function)) {
  places_name_code(define);
  atomic_store_explicit(&recorder_of_tasks, recorder, memory_order_release);
}

optrace_recorder *task_recorder(void) {
  optrace_recorder *recorder = atomic_load_explicit(&recorder_of_tasks, memory_order_acquire);
  return recorder_is_enabled(recorder) ? recorder : NULL;
}

static uint32_t work_here(const optrace_recorder *recorder) {
  work here = frame_work();
  return here.recorder == recorder ? here.number : 0;
}

// The program's innermost frames: the first may be a function of Swift's that was compiled into the program, as `Task.init` is.
static uint32_t place_of_maker(optrace_recorder *recorder, optrace_start here) {
  enum { farthest = 24, wanted = 4 };
  uint64_t addresses[wanted];
  size_t count = 0;
  stack_start at = stack_outside(&here, false);
  for (int i = 0; i < farthest && at.pc && count < wanted; i++, at = stack_outside(&at, true))
    if (count || module_is_own(at.pc - 1)) addresses[count++] = at.pc;
  return place_of(recorder, addresses, count, count);
}

task_making task_is_made(optrace_recorder *recorder, const uint64_t *code, size_t count, optrace_start here) {
  task_making making = {work_here(recorder), 0, 0};
  if (!places_wanted(recorder)) {
    making.runs = place_of_code(recorder, code[0]);
    return making;
  }
  // Behind the first byte, as of return addresses.
  uint64_t addresses[most_task_codes];
  for (size_t i = 0; i < count; i++) addresses[i] = code[i] + 1;
  making.runs = place_of(recorder, addresses, count, count);
  if (atomic_load_explicit(&recorder->stacks, memory_order_relaxed) == optrace_stacks_all) {
    bool is_entry = optrace_entry_begin(here, 0);
    making.at = optrace_caller_place(recorder);
    optrace_entry_end(is_entry);
  } else {
    making.at = place_of_maker(recorder, here);
  }
  return making;
}

void task_created(optrace_recorder *recorder, uint32_t number, const task_making *making, uint32_t how, uint32_t priority,
                  bool is_enqueued) {
  enum { how_shift = 32, priority_shift = 36, enqueued_shift = 44, at_shift = 32 };
  uint64_t word1 = making->by | (uint64_t)how << how_shift | (uint64_t)(priority & 0xFF) << priority_shift |
                   (uint64_t)is_enqueued << enqueued_shift;
  optrace_emit3(recorder, optrace_kind_task_created, number, word1, making->runs | (uint64_t)making->at << at_shift);
  optrace_tell_within(recorder, number);
}

void task_named(optrace_recorder *recorder, uint32_t number, const char *name) {
  size_t length = strnlen(name, optrace_format_longest_text);
  // Not in the middle of a character.
  if (length == optrace_format_longest_text)
    do length -= 1;
    while (length && ((uint8_t)name[length] & 0xC0) == 0x80);
  if (length) optrace_emit_text(recorder, optrace_kind_operation_named, number, 0, false, 0, (const uint8_t *)name, length);
}

void task_enqueued(optrace_recorder *recorder, uint32_t number) {
  optrace_emit2(recorder, optrace_kind_task_enqueued, number, work_here(recorder));
}

void task_runs(optrace_recorder *recorder, uint32_t number) { optrace_emit1(recorder, optrace_kind_task_run, number); }

void task_suspended(optrace_recorder *recorder, uint32_t number, uint32_t reason, uint32_t awaited, uint32_t place) {
  enum { awaited_shift = 32 };
  optrace_emit2_at(recorder, optrace_kind_task_suspended, number, reason | (uint64_t)awaited << awaited_shift, place);
}

void task_completed(optrace_recorder *recorder, uint32_t number) {
  optrace_emit1(recorder, optrace_kind_task_completed, number);
}

void task_cancelled(optrace_recorder *recorder, uint32_t number) {
  optrace_emit1(recorder, optrace_kind_cancel_requested, number);
}
