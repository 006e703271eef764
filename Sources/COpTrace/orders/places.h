// Where something is taken: the call, and the call of the function around it, because programs take locks by small functions of libraries.
#ifndef OPTRACE_PLACES_H
#define OPTRACE_PLACES_H

#include <stdatomic.h>
#include <stdint.h>

#include "../base/likely.h"

typedef struct {
  uint64_t pc;        // The return address of the hook.
  uint64_t outer_pc;  // That of its caller; 0: not known.
  uint64_t sp;        // The caller's stack pointer, or a little below it.
} place;

// How to find the caller's return address, by the address where it is asked.
typedef struct {
  _Atomic uint64_t pc;
  _Atomic uint64_t how;  // The offset, and whether it counts from the frame pointer; 0: there is no way.
} place_rule;
enum { place_rules = 1024, place_by_bp = 1, place_shift = 1 };
__attribute__((visibility("hidden"))) extern place_rule place_rules_known[place_rules];

// Finds the rule for an address, and remembers it.
uint64_t place_find_rule(uint64_t pc);
// A library is unloaded, so rules may change.
void places_forget(void);

// `frame`: the hook's own frame address, where it has saved the caller's frame pointer. Not instrumented: it reads the caller's frame.
__attribute__((no_sanitize("address", "thread"))) static inline __attribute__((always_inline)) place place_of(uint64_t pc, const uint64_t *frame) {
#if defined(__x86_64__)
  uint64_t sp = (uint64_t)(uintptr_t)frame + 16;
  place_rule *known = &place_rules_known[(pc ^ pc >> 10) % place_rules];
  uint64_t how = atomic_load_explicit(&known->how, memory_order_relaxed);
  // Another thread may change both, so the address is mixed with what belongs to it.
  if (unlikely((atomic_load_explicit(&known->pc, memory_order_relaxed) ^ how << 32) != pc)) how = place_find_rule(pc);
  uint64_t outer = 0;
  if (likely(how)) {
    uint64_t at = (how & place_by_bp ? frame[0] : sp) + (how >> place_shift);
    // Not far away, and no other thread's: else the frame pointer is no such.
    const uint64_t farthest = 1 << 16;
    if (likely(at - sp < farthest)) outer = *(const uint64_t *)(uintptr_t)at;
  }
  return (place){pc, outer, sp};
#else
  return (place){pc, 0, (uint64_t)(uintptr_t)frame};
#endif
}

// Of the hook that calls it, which must be no inlined function.
#define place_here() place_of((uint64_t)(uintptr_t)__builtin_return_address(0), (const uint64_t *)__builtin_frame_address(0))

#endif
