// Tables that lead from an address to a number, without a lock. A slot keeps its address for good.
#ifndef OPTRACE_ADDRESSES_H
#define OPTRACE_ADDRESSES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"

typedef struct {
  _Atomic uint64_t address;
  _Atomic uint64_t number;  // 0: none yet. What it means is the table's business.
} address_slot;

// How far an address may be from its first slot.
enum { address_farthest = 32 };

// The address's slot in a table of 2^`bits`, taken if it has none. Null: those near its first one are taken by others.
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
