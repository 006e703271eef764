// From a walk over a stack to a number in the trace. A stack that was met before costs a look into a table; one that is new is
// described by the recorder's Swift part.
#include "places.h"

#include "../stacks/bounds.h"
#include "../stacks/locks.h"
#include "../stacks/modules.h"
#include "../stacks/table.h"

// Frames of long waits; of what is called the program's own when the recorder is linked into it, since its frames come first.
enum { deepest = 128, deep_enough = 24, first_look = 8, frames_of_ours = 6 };

static uint32_t recorder_module(void) { return module_of((uint64_t)(uintptr_t)&place_of); }

void optrace_recorder_use_stacks(optrace_recorder *recorder, uint32_t which, void *context,
                                 uint32_t (*define)(void *context, const uint64_t *addresses, size_t count, size_t guessed)) {
  enum { stacks = 16384, bytes = 4 << 20 };
  locks_prepare();
  modules_refresh();
  if (which == optrace_stacks_off) return;
  // Without a table every stack is described as if it were new.
  recorder->stack_table = stack_table_create(stacks, bytes);
  recorder->define_context = context;
  recorder->define = define;
  atomic_store_explicit(&recorder->stacks, which, memory_order_release);
}

uint32_t place_of(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed) {
  bool is_new;
  if (!count) return 0;
  uint32_t number = stack_table_add(recorder->stack_table, addresses, count, guessed, &is_new);
  uint32_t place = stack_table_value(recorder->stack_table, number);
  if (place) return place;
  place = recorder->define(recorder->define_context, addresses, count, guessed);
  stack_table_set_value(recorder->stack_table, number, place);
  return place;
}

// Without the recorder's own frames at the inner end, where it is a library of its own.
static uint32_t place_outside_of_us(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed) {
  const module *ours = module_at(recorder_module());
  size_t first = 0;
  while (ours && !ours->is_own && first < count && addresses[first] - ours->low < ours->high - ours->low) first++;
  return place_of(recorder, addresses + first, count - first, guessed > first ? guessed - first : 0);
}

uint32_t place_here(optrace_recorder *recorder, const stack_start *start) {
  if (!start->pc || !places_wanted(recorder)) return 0;
  uint64_t addresses[deepest];
  size_t guessed, count = stack_walk_here(start, addresses, deepest, &guessed);
  return place_outside_of_us(recorder, addresses, count, guessed);
}

uint32_t place_there(optrace_recorder *recorder, const stack_start *start, uint64_t high) {
  if (!start->pc || !places_wanted(recorder)) return 0;
  enum { farthest = 8 << 20 };
  bool is_known = high > start->sp && high - start->sp < farthest;
  stack_memory memory = {.low = start->sp, .high = is_known ? high : start->sp, .bytes = (const uint8_t *)(uintptr_t)start->sp,
                         .beyond = true, .foreign = true};
  uint64_t addresses[deepest];
  size_t guessed, count = stack_walk(start, &memory, addresses, deepest, &guessed);
  return place_outside_of_us(recorder, addresses, count, guessed);
}

static bool is_own(uint64_t address) {
  const module *one = module_at(module_of(address - 1));
  return one && one->is_own;
}

uint32_t optrace_caller_place(optrace_recorder *recorder) {
  if (!places_wanted(recorder)) return 0;
  stack_start here = stack_here();
  uint64_t addresses[deepest];
  size_t guessed, most = first_look, count, first;
  bool is_whole = atomic_load_explicit(&recorder->stacks, memory_order_relaxed) == optrace_stacks_all;
  if (is_whole) most = deepest;
  for (;;) {
    count = stack_walk_here(&here, addresses, most, &guessed);
    if (is_whole) return place_outside_of_us(recorder, addresses, count, guessed);
    // The first is this function's.
    for (first = 1; first < count && !is_own(addresses[first]);) first++;
    if (first < count || count < most || most == deep_enough) break;
    most = deep_enough;
  }
  if (first >= count) return 0;
  const module *ours = module_at(recorder_module());
  size_t wanted = ours && ours->is_own ? frames_of_ours : 1, rest = count - first;
  if (rest > wanted) rest = wanted;
  return place_of(recorder, addresses + first, rest, guessed > first ? (guessed - first < rest ? guessed - first : rest) : 0);
}
