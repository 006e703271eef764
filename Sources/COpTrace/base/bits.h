// Packs two numbers into one word, and computes indexes of hash tables.
#ifndef OPTRACE_BITS_H
#define OPTRACE_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Two numbers that change together, so that one atomic exchange is enough.
static inline uint64_t pair_of(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }
static inline uint32_t pair_high(uint64_t pair) { return (uint32_t)(pair >> 32); }
static inline uint32_t pair_low(uint64_t pair) { return (uint32_t)pair; }

// Returns a multiplicative hash: the highest `bits` bits of a product. It spreads keys that differ in any bit.
static inline uint32_t hash_index(uint64_t key, unsigned bits) { return (uint32_t)(key * 0x9E3779B97F4A7C15ull >> (64 - bits)); }
// The same for an address, whose lowest bits are zero.
static inline uint32_t hash_address(const void *address, unsigned bits) {
  return hash_index((uint64_t)(uintptr_t)address >> 4, bits);
}

// Returns the hash of a text. Reads eight bytes at a time, because Swift's names are long and a program has 200,000 of them.
static inline uint64_t hash_text(const char *text, size_t length) {
  uint64_t hash = length, word;
  for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
    memcpy(&word, text, sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 32;
  }
  word = 0;
  memcpy(&word, text, length);
  return (hash ^ word) * 0x9E3779B97F4A7C15ull;
}

// The bit of a number in an array of words of 32 bits; its word is `number / 32`.
static inline uint32_t bit_in_word(uint32_t number) { return 1u << number % 32; }

#endif
