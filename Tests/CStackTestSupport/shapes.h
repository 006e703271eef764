// Stacks of every kind, by a seed.
#ifndef SHAPES_H
#define SHAPES_H

#include <stddef.h>
#include <stdint.h>

// Calls `leaf` at the end of so many functions that the seed chooses: with and without a frame pointer, with large and with aligned
// frames, with variable ones, through callbacks of the C library.
void shapes_call(uint64_t seed, int depth, void (*leaf)(void *), void *context);

// A number made of the last one.
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

// The return addresses behind the caller of this, by the compiler's own unwinder.
size_t unwinder_walk(uint64_t *pcs, size_t most);

// Where the first of several differences lies, for a test to print.
const char *complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
