#include "unloaded.h"

static uint32_t find_then(uint64_t address, uint64_t time) {
  uint32_t count = modules_count(), possible = 0;
  bool is_certain = true;
  for (uint32_t number = 1; number <= count; number++) {
    const module *one = module_at(number);
    if (address < one->low || address >= one->high || time < atomic_load(&one->from) || time > atomic_load(&one->gone)) continue;
    if (time >= atomic_load(&one->found) && time <= atomic_load(&one->until)) return number;
    if (possible) is_certain = false;
    possible = number;
  }
  return is_certain ? possible : 0;
}

uint32_t module_then(uint64_t address, uint64_t time) {
  // While the list changes, no answer is better than a wrong one.
  uint32_t before = modules_changes(), found = before & 1 ? 0 : find_then(address, time);
  return modules_changes() == before ? found : 0;
}

static void add(unloaded_modules *to, unloaded_range range) {
  if (to->count < unloaded_most) {
    to->ranges[to->count++] = range;
    return;
  }
  unloaded_range *last = &to->ranges[unloaded_most - 1];
  if (range.low < last->low) last->low = range.low;
  if (range.high > last->high) last->high = range.high;
  if (range.until < last->until) last->until = range.until;
}

void modules_find_unloaded(uint32_t since, unloaded_modules *out) {
  out->generation = modules_generation();
  out->count = 0;
  uint32_t count = modules_count();
  for (uint32_t number = 1; number <= count; number++) {
    const module *one = module_at(number);
    if (atomic_load(&one->left_in) > since) add(out, (unloaded_range){one->low, one->high, atomic_load(&one->until)});
  }
}

const unloaded_range *unloaded_at(const unloaded_modules *unloaded, uint64_t address) {
  for (uint32_t i = 0; i < unloaded->count; i++)
    if (unloaded->ranges[i].low <= address && address < unloaded->ranges[i].high) return &unloaded->ranges[i];
  return NULL;
}
