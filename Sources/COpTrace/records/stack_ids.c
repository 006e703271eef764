// Numbers of stacks. A known stack costs only a table lookup; a new one is described by describe/code.c.
#include "stack_ids.h"

#include "../operations/operation.h"
#include "../stacks/bounds.h"
#include "../stacks/locks.h"
#include "../stacks/modules.h"
#include "../stacks/table.h"
#include "../stacks/unloaded.h"

// The most frames of a stack; the most frames of system libraries that are skipped between the recorder and the program's code.
enum { deepest = 128, deep_enough = 24 };
// Size of the stack table.
enum { most_stacks = 16384, stack_bytes = 4 << 20 };

static uint32_t recorder_module(void) { return module_of((uint64_t)(uintptr_t)&stack_id_of); }

// An operation is created before it belongs to a recorder. Until then it keeps the number of its creator's stack in this table, which
// is shared by the whole process.
uint32_t optrace_makers_wanted;
static stack_table *_Atomic makers;

static void want_makers(void) {
  if (!atomic_load_explicit(&makers, memory_order_acquire)) {
    stack_table *none = NULL, *made = stack_table_create(most_stacks, stack_bytes);
    if (!made) return;
    // It is never freed, because operations may hold numbers of its stacks.
    if (!atomic_compare_exchange_strong(&makers, &none, made)) stack_table_destroy(made);
  }
  __atomic_store_n(&optrace_makers_wanted, 1, __ATOMIC_RELEASE);
}

void optrace_recorder_use_stacks(optrace_recorder *recorder, uint32_t which) {
  locks_prepare();
  modules_refresh();
  if (which == optrace_stacks_off) return;
  // If there is no memory for the table, every stack is described as if it were new.
  recorder->stack_table = stack_table_create(most_stacks, stack_bytes);
  atomic_store_explicit(&recorder->stacks, which, memory_order_release);
  if (which == optrace_stacks_all) want_makers();
}

// Numbers of stacks through a library are asked for again after it was unloaded, because another one may have its addresses.
static __attribute__((noinline)) void forget_unloaded(optrace_recorder *recorder) {
  unloaded_modules unloaded;
  modules_find_unloaded(atomic_load(&recorder->stack_generation), &unloaded);
  stack_table_forget_values(recorder->stack_table, &unloaded);
  atomic_store(&recorder->stack_generation, unloaded.generation);
}

static uint32_t define_stack(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed, uint64_t time) {
  return recorder->define_stack ? recorder->define_stack(recorder, addresses, count, guessed, time) : 0;
}

uint32_t stack_id_of(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed) {
  bool is_new;
  if (!count) return 0;
  if (unlikely(atomic_load_explicit(&recorder->stack_generation, memory_order_acquire) != modules_generation()))
    forget_unloaded(recorder);
  uint32_t number = stack_table_add(recorder->stack_table, addresses, count, guessed, &is_new);
  uint32_t id = stack_table_value(recorder->stack_table, number);
  if (id) return id;
  id = define_stack(recorder, addresses, count, guessed, code_now);
  stack_table_set_value(recorder->stack_table, number, id);
  return id;
}

uint32_t function_id(optrace_recorder *recorder, uint64_t function) {
  return recorder->define_code ? recorder->define_code(recorder, function) : 0;
}

// Drops the innermost frames that belong to the recorder, if it is a separate library. `time`: see `define_stack` of the recorder.
static uint32_t stack_id_outside_of_us(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed,
                                       uint64_t time) {
  const module *ours = module_at(recorder_module());
  size_t first = 0;
  while (ours && !ours->is_own && first < count && addresses[first] - ours->low < ours->high - ours->low) first++;
  addresses += first;
  count -= first;
  guessed = guessed > first ? guessed - first : 0;
  if (time != code_now) return count ? define_stack(recorder, addresses, count, guessed, time) : 0;
  return stack_id_of(recorder, addresses, count, guessed);
}

uint32_t stack_id_here(optrace_recorder *recorder, const stack_start *start) {
  if (!start->pc || !stacks_wanted(recorder)) return 0;
  uint64_t addresses[deepest];
  size_t guessed, count = stack_walk_here(start, addresses, deepest, &guessed);
  return stack_id_outside_of_us(recorder, addresses, count, guessed, code_now);
}

uint32_t stack_id_of_thread(optrace_recorder *recorder, const stack_start *start, uint64_t high) {
  if (!start->pc || !stacks_wanted(recorder)) return 0;
  enum { farthest = 8 << 20 };
  bool is_known = high > start->sp && high - start->sp < farthest;
  stack_memory memory = {.low = start->sp, .high = is_known ? high : start->sp, .bytes = (const uint8_t *)(uintptr_t)start->sp,
                         .beyond = true, .foreign = true};
  uint64_t addresses[deepest];
  size_t guessed, count = stack_walk(start, &memory, addresses, deepest, &guessed);
  return stack_id_outside_of_us(recorder, addresses, count, guessed, code_now);
}

// ---- Who created an operation ----------------------------------------------------------------------------------------

// A creator's stack means what was loaded when it was walked, so it ends when one of its libraries is unloaded.
static void end_unloaded(stack_table *table, _Atomic uint32_t *generation) {
  if (likely(atomic_load_explicit(generation, memory_order_acquire) == modules_generation())) return;
  unloaded_modules unloaded;
  modules_find_unloaded(atomic_load(generation), &unloaded);
  stack_table_end(table, &unloaded);
  atomic_store(generation, unloaded.generation);
}

static _Atomic uint32_t makers_generation;

uint32_t stack_id_noted(optrace_recorder *recorder, stack_table *table, uint32_t number, _Atomic uint32_t *generation) {
  size_t count, guessed;
  const uint64_t *addresses = table && number ? stack_table_get(table, number, &count, &guessed) : NULL;
  if (!addresses) return 0;
  end_unloaded(table, generation);
  uint64_t ended = stack_table_ended(table, number);
  return stack_id_outside_of_us(recorder, addresses, count, guessed, ended ? ended : code_now);
}

void optrace_operation_made(optrace_operation *operation, optrace_start here) {
  stack_table *table = atomic_load_explicit(&makers, memory_order_acquire);
  if (!operation || operation->made || !table || !here.pc) return;
  stack_start outside = stack_outside(&here, false);
  if (!outside.pc) return;
  end_unloaded(table, &makers_generation);
  uint64_t addresses[deepest];
  uint32_t generation = modules_generation();
  bool is_new;
  size_t guessed, count = stack_walk_here(&outside, addresses, deepest, &guessed);
  operation->made = stack_table_add(table, addresses, count, guessed, &is_new);
  if (is_new) stack_table_set_value(table, operation->made, generation + 1);
}

static bool records_creators(const optrace_recorder *recorder) {
  return atomic_load_explicit(&recorder->stacks, memory_order_acquire) == optrace_stacks_all;
}

bool optrace_operation_has_maker(const optrace_operation *operation, const optrace_recorder *recorder) {
  return operation && operation->made && records_creators(recorder);
}

uint32_t creation_stack_id(optrace_recorder *recorder, uint32_t made) {
  if (!records_creators(recorder)) return 0;
  return stack_id_noted(recorder, atomic_load_explicit(&makers, memory_order_acquire), made, &makers_generation);
}

// ---- Who calls the recorder ----------------------------------------------------------------------------------------

// In the static TLS block, like `this_thread`.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local struct {
  optrace_start here;  // pc 0: none.
  uint64_t caller;
} current_entry;

bool optrace_entry_begin(optrace_start here, uint64_t caller) {
  // An entry that is noted deeper on the stack than this one was left by longjmp or an exception, so it is replaced.
  if (current_entry.here.pc && current_entry.here.sp >= here.sp) return false;
  current_entry.here = here;
  current_entry.caller = caller;
  return true;
}

void optrace_entry_end(bool has_begun) {
  if (has_begun) current_entry.here.pc = 0;
}

// The second word of the cache key. It differs from those of classes, source lines and functions.
static const uint64_t key_of_stacks = (uint64_t)3 << 62;

static __attribute__((noinline)) uint32_t new_stack_id(optrace_recorder *recorder, uint64_t address) {
  uint32_t id = stack_id_of(recorder, &address, 1, 1);
  if (id) optrace_cache_add(recorder, address, key_of_stacks, id);
  return id;
}

static inline uint32_t stack_id_of_caller(optrace_recorder *recorder, uint64_t address) {
  uint32_t id = optrace_cache_find(recorder, address, key_of_stacks);
  return likely(id) ? id : new_stack_id(recorder, address);
}

static __attribute__((noinline)) uint32_t find_caller(optrace_recorder *recorder, bool is_whole) {
  stack_start at = stack_outside(&current_entry.here, false);
  if (is_whole) return stack_id_here(recorder, &at);
  for (int i = 0; i < deep_enough && at.pc; i++) {
    if (module_is_own(at.pc - 1)) return stack_id_of_caller(recorder, at.pc);
    at = stack_outside(&at, true);
  }
  return 0;
}

uint32_t optrace_caller_stack(optrace_recorder *recorder) {
  uint32_t which = atomic_load_explicit(&recorder->stacks, memory_order_acquire);
  if (!current_entry.here.pc || which == optrace_stacks_off) return 0;
  bool is_whole = which == optrace_stacks_all;
  // The common case: the caller is the program's own code.
  uint64_t caller = is_whole ? 0 : current_entry.caller;
  if (caller && module_is_own(caller - 1)) return stack_id_of_caller(recorder, caller);
  return find_caller(recorder, is_whole);
}
