#include "live.h"

#include <stddef.h>

#include "../base/bits.h"
#include "../base/likely.h"

// A block is in one of two buckets, the emptier one: then few overflow before the table is full to three quarters.
typedef struct {
  live_bucket *bucket[2];
} live_home;

static live_home home_of(live_table *table, uint64_t address) {
  uint32_t one = hash_index(address >> 4, live_bucket_bits), other = hash_index((address >> 4) ^ 0x5555555555555555ull, live_bucket_bits);
  return (live_home){{&table->buckets[one], &table->buckets[other]}};
}

static uint32_t count_empty(const live_bucket *bucket) {
  uint32_t count = 0;
  for (int i = 0; i < live_bucket_keys; i++)
    count += atomic_load_explicit(&bucket->keys[i], memory_order_relaxed) == live_key_empty;
  return count;
}

// ---- The filter ----------------------------------------------------------------------------------------------------

static void filter_raise(live_table *table, uint64_t address) {
  _Atomic uint8_t *counter = &table->filter[live_filter_index(address)];
  uint8_t now = atomic_load_explicit(counter, memory_order_relaxed);
  while (now != UINT8_MAX && !atomic_compare_exchange_weak(counter, &now, (uint8_t)(now + 1))) {}
}

static void filter_lower(live_table *table, uint64_t address) {
  _Atomic uint8_t *counter = &table->filter[live_filter_index(address)];
  uint8_t now = atomic_load_explicit(counter, memory_order_relaxed);
  while (now != UINT8_MAX && now != 0 && !atomic_compare_exchange_weak(counter, &now, (uint8_t)(now - 1))) {}
}

// ---- Blocks --------------------------------------------------------------------------------------------------------

static void copy_block(live_block *to, const live_block *from) {
  to->size = from->size;
  to->number = from->number;
  to->interval = from->interval;
  to->stack = from->stack;
  to->tid = from->tid;
  to->ticks = from->ticks;
  to->is_object = from->is_object;
  atomic_store_explicit(&to->told, atomic_load_explicit(&from->told, memory_order_relaxed), memory_order_relaxed);
  atomic_store_explicit(&to->is_typed, atomic_load_explicit(&from->is_typed, memory_order_relaxed), memory_order_relaxed);
}

// Stores a block in a place that it reserves.
static bool put(live_bucket *bucket, uint64_t key, const live_block *block) {
  for (int i = 0; i < live_bucket_keys; i++) {
    uint64_t empty = live_key_empty;
    if (atomic_load_explicit(&bucket->keys[i], memory_order_relaxed) != live_key_empty ||
        !atomic_compare_exchange_strong(&bucket->keys[i], &empty, live_key_reserved))
      continue;
    copy_block(&bucket->blocks[i], block);
    atomic_store_explicit(&bucket->keys[i], key, memory_order_release);
    return true;
  }
  return false;
}

static bool put_in_home(live_table *table, uint64_t address, uint64_t key, const live_block *block) {
  live_home home = home_of(table, address);
  int first = count_empty(home.bucket[1]) > count_empty(home.bucket[0]);
  return put(home.bucket[first], key, block) || put(home.bucket[!first], key, block);
}

static bool take(live_table *table, uint64_t address, live_block *out) {
  live_home home = home_of(table, address);
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < live_bucket_keys; i++) {
      _Atomic uint64_t *key = &home.bucket[b]->keys[i];
      if (atomic_load_explicit(key, memory_order_acquire) != address) continue;
      copy_block(out, &home.bucket[b]->blocks[i]);
      uint64_t expected = address;
      // Another one than the owner takes it only in `live_clear`.
      if (atomic_compare_exchange_strong(key, &expected, live_key_empty)) return true;
    }
  return false;
}

bool live_take(live_table *table, const void *pointer, live_block *out) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (address < live_first_key || !take(table, address, out)) return false;
  filter_lower(table, address);
  atomic_fetch_sub_explicit(&table->count, 1, memory_order_relaxed);
  return true;
}

bool live_add(live_table *table, const void *pointer, const live_block *block, uint32_t *replaced) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  live_block old;
  *replaced = live_may_have(table, pointer) && live_take(table, pointer, &old) ? old.number : 0;
  filter_raise(table, address);
  if (!put_in_home(table, address, address, block)) {
    filter_lower(table, address);
    return false;
  }
  atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
  return true;
}

bool live_bury(live_table *table, const live_block *block) {
  // Anywhere, by its number.
  if (!put_in_home(table, (uint64_t)block->number << 4, live_key_buried, block)) return false;
  atomic_fetch_add_explicit(&table->buried, 1, memory_order_relaxed);
  return true;
}

bool live_is(live_table *table, uint64_t address, uint32_t number) {
  live_home home = home_of(table, address);
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < live_bucket_keys; i++)
      if (atomic_load_explicit(&home.bucket[b]->keys[i], memory_order_acquire) == address)
        return home.bucket[b]->blocks[i].number == number;
  return false;
}

void live_visit(live_table *table, live_visitor visit, void *context) {
  for (size_t b = 0; b < 1 << live_bucket_bits; b++)
    for (int i = 0; i < live_bucket_keys; i++) {
      live_bucket *bucket = &table->buckets[b];
      uint64_t key = atomic_load_explicit(&bucket->keys[i], memory_order_acquire), buried = live_key_buried;
      if (key == live_key_empty || key == live_key_reserved) continue;
      live_block copy;
      copy_block(&copy, &bucket->blocks[i]);
      if (key == live_key_buried) {
        if (!atomic_compare_exchange_strong(&bucket->keys[i], &buried, live_key_empty)) continue;
        atomic_fetch_sub_explicit(&table->buried, 1, memory_order_relaxed);
        visit(context, 0, &copy, NULL);
      } else if (atomic_load_explicit(&bucket->keys[i], memory_order_acquire) == key) {
        visit(context, key, &copy, &bucket->blocks[i]);
      }
    }
}

static void forget(void *context, uint64_t address, const live_block *block, live_block *original) {
  live_block taken;
  (void)block, (void)original;
  if (address) live_take(context, (const void *)(uintptr_t)address, &taken);
}

void live_clear(live_table *table) { live_visit(table, forget, table); }
