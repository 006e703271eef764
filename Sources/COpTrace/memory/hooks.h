// Hooks of the functions that allocate and free memory.
#ifndef OPTRACE_MEMORY_HOOKS_H
#define OPTRACE_MEMORY_HOOKS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import memory_imports[];

// Why allocations cannot be heard; the numbers are those of the record.
typedef enum { memory_possible, memory_has_sanitizer, memory_links_allocator, memory_has_no_room } memory_obstacle;
// Finds the functions. Only the first call has an effect.
memory_obstacle memory_hooks_prepare(void);
// Whose functions they are, as in the record: 0 another one's, 1 glibc's, 2 jemalloc's, 3 tcmalloc's, 4 mimalloc's.
uint8_t memory_hooks_allocator(void);
#endif

#endif
