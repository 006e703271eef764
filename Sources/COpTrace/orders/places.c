#include "places.h"

#include "../stacks/unwind.h"

place_rule place_rules_known[place_rules];

// Only rules as compilers make them: the return address is the word below the caller's frame.
static uint64_t make_rule(uint64_t pc) {
  const int64_t largest = 1 << 15;
  unwind_rule rule = unwind_rule_at(pc - 1, false);
  if (!(rule & rule_frame) || rule & (rule_indirect | rule_ra_by_base | rule_signal) || rule_ra(rule) != -8) return 0;
  int64_t offset = rule_cfa(rule) - 8;
  if (offset < 0 || offset > largest) return 0;
  return (uint64_t)offset << place_shift | (rule & rule_by_bp ? place_by_bp : 0);
}

uint64_t place_find_rule(uint64_t pc) {
  uint64_t how = make_rule(pc);
  place_rule *known = &place_rules_known[(pc ^ pc >> 10) % place_rules];
  atomic_store_explicit(&known->how, how, memory_order_relaxed);
  atomic_store_explicit(&known->pc, pc ^ how << 32, memory_order_relaxed);
  return how;
}

void places_forget(void) {
  for (int i = 0; i < place_rules; i++) {
    atomic_store_explicit(&place_rules_known[i].pc, 0, memory_order_relaxed);
    atomic_store_explicit(&place_rules_known[i].how, 0, memory_order_relaxed);
  }
}
