#include "walk.h"

#include <stdatomic.h>
#include <string.h>

#include "../book/book.h"
#include "../book/sides.h"
#include "../records/stack_ids.h"
#include "../stacks/bounds.h"
#include "../stacks/modules.h"
#include "../stacks/table.h"
#include "../stacks/unwind.h"
#include "COpTraceFormat.h"

enum { most_stacks = 1 << 16, stack_bytes = 8 << 20 };
static stack_table *_Atomic stacks;

// It is never freed: a thread may be in it when the recorder has stopped.
bool walks_prepare(void) {
  if (atomic_load(&stacks)) return true;
  stack_table *made = stack_table_create(most_stacks, stack_bytes);
  atomic_store_explicit(&stacks, made, memory_order_release);
  return made;
}

// The bounds of the stack are not asked for here, because that may allocate; without them memory is read with system calls.
__attribute__((noinline)) void walk_from(walked *to, place at) {
  stack_start start = stack_here();
  stack_bounds bounds = stack_bounds_here.is_asked ? stack_bounds_here.bounds : (stack_bounds){0, 0};
  bool is_inside = start.sp >= bounds.low && start.sp < bounds.high, is_whole;
  stack_memory memory = {.low = is_inside ? start.sp : bounds.high, .high = bounds.high, .beyond = true};
  memory.bytes = (const uint8_t *)(uintptr_t)memory.low;
  to->count = stack_walk_far(&start, &memory, to->pcs, to->sps, walk_deepest, &to->guessed, &is_whole);
  size_t first = 0;
  while (first < to->count && to->pcs[first] != at.pc) first++;
  if (first == to->count) return;
  to->count -= first;
  to->guessed = to->guessed > first ? to->guessed - first : 0;
  for (size_t i = 0; i < to->count; i++) {
    to->pcs[i] = to->pcs[first + i];
    to->sps[i] = to->sps[first + i];
  }
}

// What is described later means what is loaded now.
static uint32_t remember(const uint64_t *pcs, size_t count, size_t guessed) {
  stack_table *table = atomic_load_explicit(&stacks, memory_order_acquire);
  bool is_new;
  uint32_t generation = modules_generation(), number = table ? stack_table_add(table, pcs, count, guessed, &is_new) : 0;
  if (number && is_new) stack_table_set_value(table, number, generation + 1);
  return number;
}

uint32_t walk_stack_id(optrace_recorder *recorder, uint32_t stack) {
  static _Atomic uint32_t generation;
  return stack_id_noted(recorder, atomic_load_explicit(&stacks, memory_order_acquire), stack, &generation);
}

uint32_t walk_remember(const walked *w) { return w->count ? remember(w->pcs, w->count, w->guessed) : 0; }

static bool is_same_function(uint64_t a, uint64_t b) {
  uint64_t start = unwind_function_at(a - 1);
  return start && start == unwind_function_at(b - 1);
}

// Its two innermost frames are known, and those outside of them have not changed but in how far they are.
void walk_then(walked *to, const held_thing *thing, const walked *now) {
  size_t count = 0, i = 0;
  to->count = to->guessed = 0;
  if (!thing->pc) return;
  while (i < now->count && now->sps[i] < thing->sp) i++;
  to->pcs[count++] = thing->pc;
  bool is_on = i < now->count && is_same_function(now->pcs[i], thing->pc);
  if (is_on) i++;
  if (!is_on && thing->outer_pc) {
    to->pcs[count++] = thing->outer_pc;
    if (i < now->count && is_same_function(now->pcs[i], thing->outer_pc)) i++;
  }
  size_t known = count, first = i;
  for (; i < now->count && count < walk_deepest; i++) to->pcs[count++] = now->pcs[i];
  size_t guessed = now->guessed > first ? known + (now->guessed - first) : known;
  to->count = count;
  to->guessed = guessed < count ? guessed : count;
}

static bool is_asked_by_programs(const char *path) {
  return strstr(path, "/libFoundation.so") || strstr(path, "/libFoundationEssentials.so") || strstr(path, "/libswiftDispatch.so") ||
         strstr(path, "/libdispatch.so");
}

walk_origin walk_origin_of(const walked *w, uint8_t kind) {
  // The recorder's own frames, and those of `NSLock.withLock` and the like.
  enum { most_between = 6, in_place = 2 };
  uint32_t ours = module_of((uint64_t)(uintptr_t)&walk_origin_of);
  bool is_lock = kind == optrace_held_mutex || kind == optrace_held_rwlock || kind == optrace_held_condition;
  size_t between = 0;
  for (size_t i = 0; i < w->count && i < most_between; i++) {
    uint64_t address = w->pcs[i] - 1;
    if (module_is_own(address)) return walk_is_programs;
    uint32_t number = module_of(address), linked = book_library_at(address);
    const module *one = module_at(number);
    bool is_between = linked ? linked == book_dispatch || linked == book_foundation || book_is_overlay(address)
                             : number == ours || (one && is_asked_by_programs(one->path));
    if (!is_between) return i < in_place ? walk_is_never : walk_is_others;
    between += number != ours;
    if (is_lock && between > 1) return i < in_place ? walk_is_never : walk_is_others;
  }
  return walk_is_others;
}
