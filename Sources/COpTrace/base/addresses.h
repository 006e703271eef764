// Lock-free hash tables from an address to a number. Once a slot has an address, it keeps it for good.
#ifndef OPTRACE_ADDRESSES_H
#define OPTRACE_ADDRESSES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"

typedef struct {
  _Atomic uint64_t address;
  _Atomic uint64_t number;  // 0: none yet. Each table defines what its numbers mean.
} address_slot;

// The maximum number of slots that are probed for an address.
enum { address_farthest = 32 };

// Finds the address's slot in a table of 2^`bits` slots, or claims a free one. Null: all slots that may be probed belong to other
// addresses.
static inline address_slot *address_slot_of(address_slot *table, unsigned bits, const void *pointer) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  uint32_t index = hash_address(pointer, bits), mask = (1u << bits) - 1;
  for (uint32_t i = 0; i < address_farthest; i++, index = (index + 1) & mask) {
    uint64_t there = atomic_load_explicit(&table[index].address, memory_order_acquire);
    if (there == address) return &table[index];
    if (there) continue;
    if (atomic_compare_exchange_strong_explicit(&table[index].address, &there, address, memory_order_acq_rel, memory_order_acquire) ||
        there == address)
      return &table[index];
  }
  return NULL;
}

#endif
