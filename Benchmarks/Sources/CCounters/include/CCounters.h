#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stdint.h>

// Words in mapped memory, which one thread writes and threads of other processes read: who reads a count finds what was stored
// before it.
static inline uint64_t counter_load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void counter_store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
// For words that several threads write.
static inline void counter_add(uint64_t *word, uint64_t value) { __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }

#endif
