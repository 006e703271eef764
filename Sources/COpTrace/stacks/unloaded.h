// What was loaded at an address earlier, and what was unloaded since then: another module may have the addresses now.
#ifndef OPTRACE_UNLOADED_H
#define OPTRACE_UNLOADED_H

#include "modules.h"

// In place of a time: what is loaded now.
static const uint64_t code_now = UINT64_MAX;

// The number of the module that contained an address at a time on the monotonic clock. 0: none did, or it is not known which one, because
// one was unloaded and another one loaded while nobody looked.
uint32_t module_then(uint64_t address, uint64_t time);

// The addresses of modules that were unloaded after a generation. Who remembers answers by address forgets those for these addresses.
typedef struct {
  uint64_t low, high;
  uint64_t until;  // It was loaded at this time; UINT64_MAX: it is loaded again.
} unloaded_range;
enum { unloaded_most = 64 };
typedef struct {
  uint32_t generation;  // The present one.
  uint32_t count;
  unloaded_range ranges[unloaded_most];  // If there are more, the last one contains them all.
} unloaded_modules;
void modules_find_unloaded(uint32_t since, unloaded_modules *out);
// The range that contains an address; null: none does.
const unloaded_range *unloaded_at(const unloaded_modules *unloaded, uint64_t address);

#endif
