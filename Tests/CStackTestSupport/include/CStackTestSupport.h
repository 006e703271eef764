// Programs for the tests of stacks. What gives back a text gives null when all is right, else what is not.
#ifndef CSTACKTESTSUPPORT_H
#define CSTACKTESTSUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Walks

// This thread's stack, compared to what the compiler's unwinder says; how many frames it has.
const char *test_walk_here(size_t *count);
// The same behind functions of many kinds.
const char *test_walk_shapes(uint64_t seed, int depth);
const char *test_walk_fiber(uint64_t seed);
const char *test_walk_signal(uint64_t seed, bool on_other_stack);
// Stacks that hold anything.
const char *test_walk_damaged(uint64_t seed, size_t rounds);
// Loads a copy of zlib, walks in a call of it, unloads it: its number as a module, and where it was.
const char *test_walk_library(const char *path, uint32_t *number, uint64_t *base);
// Where zlib lies.
const char *test_library_path(const char *symbol_of);
const char *test_bounds(void);
const char *test_modules(void);

#endif
