// The sampled blocks that live. Any thread may free any block, and asks for each one here, so that takes one load nearly always. No lock: a
// signal handler may allocate and free while its thread is in here.
#ifndef OPTRACE_LIVE_H
#define OPTRACE_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  live_filter_bits = 16, live_bucket_bits = 13, live_bucket_keys = 8,
  live_most = (1 << live_bucket_bits) * live_bucket_keys,
};

typedef struct {
  uint64_t size;
  uint32_t number;
  uint32_t interval;    // That it was sampled with, in bytes, at most UINT32_MAX.
  uint32_t stack, tid;  // Where, and on which thread.
  uint64_t ticks;       // When.
  bool is_object;       // Of Swift's: its first word is its type.
  _Atomic bool is_typed;  // The trace has its type.
  _Atomic uint64_t told;  // When a ring was told that it lives; 0: when it was allocated.
} live_block;

// 0: empty. 1: reserved by somebody who writes the block. 2: the block was freed, and nobody has been told (see `live_bury`).
enum { live_key_empty, live_key_reserved, live_key_buried, live_first_key };

typedef struct {
  _Alignas(64) _Atomic uint64_t keys[live_bucket_keys];
  live_block blocks[live_bucket_keys];
} live_bucket;

// All zeros: empty.
typedef struct {
  // How many of the blocks in the table have an address with these bits 4 to 19; 255 stays for good.
  _Atomic uint8_t filter[1 << live_filter_bits];
  live_bucket buckets[1 << live_bucket_bits];
  _Atomic uint32_t count;
  _Atomic uint32_t buried;
} live_table;

static inline uint32_t live_filter_index(uint64_t address) { return (uint32_t)(address >> 4) & ((1u << live_filter_bits) - 1); }
// False: no block of the table has this address. True: perhaps.
static inline bool live_may_have(const live_table *table, const void *address) {
  return atomic_load_explicit(&table->filter[live_filter_index((uint64_t)(uintptr_t)address)], memory_order_relaxed) != 0;
}

// Adds a block before the program gets its address. If there is one with this address, which was freed unheard, that one goes, and its number
// is in *replaced (else 0). False: there is no room.
bool live_add(live_table *table, const void *address, const live_block *block, uint32_t *replaced);
// Takes a block out, before its address may be given to somebody else. False: it is not there.
bool live_take(live_table *table, const void *address, live_block *out);
// Puts a block back only for the flusher to find that it was freed, because nobody could be told. False: there is no room.
bool live_bury(live_table *table, const live_block *block);
// Visits all blocks; the block is a copy. `address` 0: it was buried, and is forgotten now.
typedef void (*live_visitor)(void *context, uint64_t address, const live_block *block, live_block *original);
void live_visit(live_table *table, live_visitor visit, void *context);
// Whether a block with this number still has this address.
bool live_is(live_table *table, uint64_t address, uint32_t number);
// Forgets all blocks. Other threads may use the table meanwhile.
void live_clear(live_table *table);

#endif
