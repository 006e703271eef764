// Two numbers in one word, and indexes of hash tables.
#ifndef OPTRACE_BITS_H
#define OPTRACE_BITS_H

#include <stdint.h>

// Two numbers that change together, so that one atomic exchange is enough.
static inline uint64_t pair_of(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }
static inline uint32_t pair_high(uint64_t pair) { return (uint32_t)(pair >> 32); }
static inline uint32_t pair_low(uint64_t pair) { return (uint32_t)pair; }

// The highest `bits` of a product that spreads keys which differ in any bit.
static inline uint32_t hash_index(uint64_t key, unsigned bits) { return (uint32_t)(key * 0x9E3779B97F4A7C15ull >> (64 - bits)); }
// The same for an address, whose lowest bits are zero.
static inline uint32_t hash_address(const void *address, unsigned bits) {
  return hash_index((uint64_t)(uintptr_t)address >> 4, bits);
}

#endif
