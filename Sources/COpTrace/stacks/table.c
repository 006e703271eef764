#include "table.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "../base/wiped.h"
#include "supported.h"

#if OPTRACE_STACKS

// The pages are zero in a forked child. They contain a head, the slots (a hash and the number of a stack), and the stacks. A stack is a
// word with its size and the caller's value, a word with the time that it ended with, and its addresses. Its number is the index of the
// first word, and 0 means none. Nothing is ever removed, and a slot is filled by one store, so a thread that sees a number finds a
// complete stack.
struct stack_table {
  size_t bytes;
  uint32_t slots;       // A power of two.
  uint32_t words;        // Of `stack`.
  _Atomic uint64_t *slot;
  uint64_t *stack;
};

// The head.
typedef struct {
  _Atomic uint64_t used;
  _Atomic uint64_t lost;
  _Atomic uint32_t count;
} changing;

enum { head_bytes = 128, farthest = 64, words_before = 2 };
// In the size of a stack: it has ended.
static const uint32_t has_ended = 1u << 31;
_Static_assert(sizeof(changing) <= head_bytes, "the head has no room");

static changing *changing_of(const stack_table *table) {
  return (changing *)((char *)(uintptr_t)table->slot - head_bytes);
}

stack_table *stack_table_create(uint32_t stacks, size_t bytes) {
  uint32_t slots = 1024;
  while (slots < (1u << 30) && slots / 2 < stacks) slots *= 2;
  size_t words = bytes / 8 < 64 ? 64 : bytes / 8;
  if (words > UINT32_MAX) words = UINT32_MAX;
  // Not from malloc: the only pointer may be in memory that leak checkers do not read, and the table may never be freed.
  stack_table *table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) return NULL;
  table->bytes = head_bytes + (size_t)slots * 8 + words * 8;
  table->slots = slots;
  table->words = (uint32_t)words;
  char *pages = wiped_pages(table->bytes);
  if (!pages) {
    munmap(table, sizeof *table);
    return NULL;
  }
  table->slot = (_Atomic uint64_t *)(void *)(pages + head_bytes);
  table->stack = (uint64_t *)(void *)(pages + head_bytes) + slots;
  return table;
}

void stack_table_destroy(stack_table *table) {
  if (!table) return;
  wiped_pages_free(changing_of(table), table->bytes);
  munmap(table, sizeof *table);
}

static uint32_t hash_of(const uint64_t *pcs, size_t count, size_t guessed) {
  uint64_t a = count * 0x9E3779B97F4A7C15ull + guessed, b = 0xD6E8FEB86659FD93ull;
  size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    a = (a ^ pcs[i]) * 0xFF51AFD7ED558CCDull;
    b = (b ^ pcs[i + 1]) * 0xC4CEB9FE1A85EC53ull;
    a ^= a >> 32;
    b ^= b >> 29;
  }
  if (i < count) a = (a ^ pcs[i]) * 0xFF51AFD7ED558CCDull;
  a ^= a >> 32;
  a = (a ^ b) * 0x9E3779B97F4A7C15ull;
  return (uint32_t)(a >> 32);
}

static uint32_t size_word(size_t count, size_t guessed) { return (uint32_t)count | (uint32_t)guessed << 16; }

static _Atomic uint32_t *value_of(const stack_table *table, uint32_t number) {
  return (_Atomic uint32_t *)(void *)(table->stack + number) + 1;
}

static _Atomic uint32_t *size_of(const stack_table *table, uint32_t number) {
  return (_Atomic uint32_t *)(void *)(table->stack + number);
}

static _Atomic uint64_t *end_of(const stack_table *table, uint32_t number) {
  return (_Atomic uint64_t *)(void *)(table->stack + number + 1);
}

static bool is_this(const stack_table *table, uint32_t number, const uint64_t *pcs, size_t count, size_t guessed) {
  return atomic_load_explicit(size_of(table, number), memory_order_relaxed) == size_word(count, guessed) &&
         memcmp(table->stack + number + words_before, pcs, count * 8) == 0;
}

// Copies the stack; 0: there is no room.
static uint32_t store(stack_table *table, const uint64_t *pcs, size_t count, size_t guessed) {
  changing *c = changing_of(table);
  uint64_t at = atomic_load_explicit(&c->used, memory_order_relaxed);
  do {
    if (at + words_before + count + 1 > table->words) return 0;
  } while (!atomic_compare_exchange_weak_explicit(&c->used, &at, at + words_before + count, memory_order_relaxed,
                                                  memory_order_relaxed));
  uint64_t *stack = table->stack + at + 1;
  *(uint32_t *)(void *)stack = size_word(count, guessed);
  memcpy(stack + words_before, pcs, count * 8);
  return (uint32_t)at + 1;
}

uint32_t stack_table_add(stack_table *table, const uint64_t *pcs, size_t count, size_t guessed, bool *is_new) {
  *is_new = false;
  if (!table || !count) return 0;
  if (count > stack_table_deepest) count = stack_table_deepest;
  if (guessed > count) guessed = count;
  uint32_t hash = hash_of(pcs, count, guessed), own = 0;
  for (uint32_t i = 0; i < farthest; i++) {
    _Atomic uint64_t *slot = &table->slot[(hash + i) & (table->slots - 1)];
    uint64_t found = atomic_load_explicit(slot, memory_order_acquire);
    if (!found) {
      if (!own && !(own = store(table, pcs, count, guessed))) break;
      if (atomic_compare_exchange_strong_explicit(slot, &found, (uint64_t)hash << 32 | own, memory_order_acq_rel,
                                                  memory_order_acquire)) {
        atomic_fetch_add_explicit(&changing_of(table)->count, 1, memory_order_relaxed);
        *is_new = true;
        return own;
      }
    }
    // If another thread has stored the same stack meanwhile, the words that we have written stay unused.
    if (found >> 32 == hash && is_this(table, (uint32_t)found, pcs, count, guessed)) return (uint32_t)found;
  }
  atomic_fetch_add_explicit(&changing_of(table)->lost, 1, memory_order_relaxed);
  return 0;
}

const uint64_t *stack_table_get(const stack_table *table, uint32_t number, size_t *count, size_t *guessed) {
  *count = *guessed = 0;
  if (!table || !number || number > atomic_load_explicit(&changing_of(table)->used, memory_order_acquire)) return NULL;
  uint32_t size = atomic_load_explicit(size_of(table, number), memory_order_relaxed) & ~has_ended;
  *count = size & 0xFFFF;
  *guessed = size >> 16;
  return table->stack + number + words_before;
}

uint32_t stack_table_value(const stack_table *table, uint32_t number) {
  return table && number ? atomic_load_explicit(value_of(table, number), memory_order_acquire) : 0;
}

void stack_table_set_value(stack_table *table, uint32_t number, uint32_t value) {
  if (table && number) atomic_store_explicit(value_of(table, number), value, memory_order_release);
}

// The first time that a stack's addresses in unloaded modules belong to; 0: it has none.
static uint64_t end_among(const stack_table *table, uint32_t number, const unloaded_modules *unloaded) {
  size_t count, guessed;
  const uint64_t *addresses = stack_table_get(table, number, &count, &guessed);
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++) {
    const unloaded_range *range = unloaded_at(unloaded, addresses[i] - 1);
    if (range && (!end || range->until < end)) end = range->until;
  }
  return end;
}

void stack_table_forget_values(stack_table *table, const unloaded_modules *unloaded) {
  for (uint32_t i = 0; table && i < table->slots; i++) {
    uint32_t number = (uint32_t)atomic_load_explicit(&table->slot[i], memory_order_acquire);
    if (number && end_among(table, number, unloaded)) stack_table_set_value(table, number, 0);
  }
}

void stack_table_end(stack_table *table, const unloaded_modules *unloaded) {
  for (uint32_t i = 0; table && i < table->slots; i++) {
    uint32_t number = (uint32_t)atomic_load_explicit(&table->slot[i], memory_order_acquire);
    uint32_t added = stack_table_value(table, number);
    if (!added || added > unloaded->generation || stack_table_ended(table, number)) continue;
    uint64_t end = end_among(table, number, unloaded);
    if (!end) continue;
    atomic_store_explicit(end_of(table, number), end, memory_order_release);
    atomic_fetch_or_explicit(size_of(table, number), has_ended, memory_order_release);
  }
}

uint64_t stack_table_ended(const stack_table *table, uint32_t number) {
  return table && number ? atomic_load_explicit(end_of(table, number), memory_order_acquire) : 0;
}

uint32_t stack_table_count(const stack_table *table) {
  return table ? atomic_load_explicit(&changing_of(table)->count, memory_order_relaxed) : 0;
}

uint64_t stack_table_lost(const stack_table *table) {
  return table ? atomic_load_explicit(&changing_of(table)->lost, memory_order_relaxed) : 0;
}

#else

stack_table *stack_table_create(uint32_t stacks, size_t bytes) {
  (void)stacks, (void)bytes;
  return NULL;
}
void stack_table_destroy(stack_table *table) { (void)table; }
uint32_t stack_table_add(stack_table *table, const uint64_t *pcs, size_t count, size_t guessed, bool *is_new) {
  (void)table, (void)pcs, (void)count, (void)guessed;
  *is_new = false;
  return 0;
}
const uint64_t *stack_table_get(const stack_table *table, uint32_t number, size_t *count, size_t *guessed) {
  (void)table, (void)number;
  *count = *guessed = 0;
  return NULL;
}
uint32_t stack_table_value(const stack_table *table, uint32_t number) {
  (void)table, (void)number;
  return 0;
}
void stack_table_set_value(stack_table *table, uint32_t number, uint32_t value) {
  (void)table, (void)number, (void)value;
}
void stack_table_forget_values(stack_table *table, const unloaded_modules *unloaded) { (void)table, (void)unloaded; }
void stack_table_end(stack_table *table, const unloaded_modules *unloaded) { (void)table, (void)unloaded; }
uint64_t stack_table_ended(const stack_table *table, uint32_t number) {
  (void)table, (void)number;
  return 0;
}
uint32_t stack_table_count(const stack_table *table) {
  (void)table;
  return 0;
}
uint64_t stack_table_lost(const stack_table *table) {
  (void)table;
  return 0;
}

#endif
