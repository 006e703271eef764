#if defined(__linux__)
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/modules.h"
#include "../../Sources/COpTrace/stacks/peek.h"
#include "../../Sources/COpTrace/stacks/rules.h"
#include "../../Sources/COpTrace/stacks/table.h"
#include "../../Sources/COpTrace/stacks/unwind.h"
#include "CStackTestSupport.h"
#include "shapes.h"

enum { deepest = 24 };

// The stack of a number: any two differ.
static size_t make(uint64_t which, uint64_t *pcs, size_t *guessed) {
  uint64_t random = which;
  size_t count = 1 + next_random(&random) % deepest;
  pcs[0] = which;
  for (size_t i = 1; i < count; i++) pcs[i] = next_random(&random);
  *guessed = next_random(&random) % (count + 1);
  return count;
}

typedef struct {
  stack_table *table;
  uint64_t seed, stacks;
  _Atomic uint32_t *numbers, *news;
  const char *result;
  pthread_t thread;
} adder;

static void *add_many(void *argument) {
  adder *a = argument;
  uint64_t pcs[deepest], random = a->seed;
  for (uint64_t i = 0; i < a->stacks * 8; i++) {
    uint64_t which = next_random(&random) % a->stacks;
    size_t guessed, count = make(which, pcs, &guessed), stored, stored_guess;
    bool is_new;
    uint32_t number = stack_table_add(a->table, pcs, count, guessed, &is_new), before = 0;
    if (!number) return (void *)(a->result = "there was no room");
    if (is_new) atomic_fetch_add(&a->news[which], 1);
    if (!atomic_compare_exchange_strong(&a->numbers[which], &before, number) && before != number)
      return (void *)(a->result = "one stack has two numbers");
    const uint64_t *kept = stack_table_get(a->table, number, &stored, &stored_guess);
    if (!kept || stored != count || stored_guess != guessed || memcmp(kept, pcs, count * 8) != 0)
      return (void *)(a->result = "a number stands for another stack");
  }
  return NULL;
}

const char *test_table(uint64_t seed, int threads) {
  enum { stacks = 3000, most_threads = 8 };
  stack_table *table = stack_table_create(stacks, 2 << 20);
  _Atomic uint32_t *numbers = calloc(stacks, sizeof *numbers), *news = calloc(stacks, sizeof *news);
  adder adders[most_threads];
  const char *result = NULL;
  if (!table || !numbers || !news || threads > most_threads) return "there is no memory";
  for (int i = 0; i < threads; i++) {
    adders[i] = (adder){.table = table, .seed = seed + (uint64_t)i, .stacks = stacks, .numbers = numbers, .news = news};
    pthread_create(&adders[i].thread, NULL, add_many, &adders[i]);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(adders[i].thread, NULL);
    if (adders[i].result) result = adders[i].result;
  }
  uint32_t used = 0;
  for (int i = 0; i < stacks && !result; i++) {
    used += numbers[i] != 0;
    if (news[i] != (numbers[i] != 0)) result = complain("stack %d was new %u times", i, news[i]);
  }
  if (!result && (stack_table_count(table) != used || stack_table_lost(table))) result = "it counts wrong";
  stack_table_destroy(table);
  free(numbers);
  free(news);
  return result;
}

const char *test_table_is_full(void) {
  stack_table *table = stack_table_create(100, 4096);
  uint64_t pcs[300] = {1}, lost = 0, kept = 0;
  bool is_new;
  size_t count, guessed;
  if (!table) return "there is no memory";
  if (stack_table_add(table, pcs, 0, 0, &is_new) || is_new || stack_table_lost(table)) return "an empty stack has a number";
  for (uint64_t i = 1; i <= 400; i++) {
    pcs[0] = i;
    uint32_t number = stack_table_add(table, pcs, 9, 9, &is_new);
    if (number) kept++;
    else lost++;
    if (is_new != (number != 0)) return "what found no room is said to be new";
  }
  if (!kept || !lost || stack_table_lost(table) != lost || stack_table_count(table) != kept) return "it counts wrong";
  pcs[0] = 1;
  uint32_t again = stack_table_add(table, pcs, 9, 9, &is_new);
  if (!again || is_new) return "what was known before it was full is not known any more";
  if (stack_table_get(table, 0, &count, &guessed) || stack_table_get(table, UINT32_MAX, &count, &guessed)) return "there is a stack of no number";
  stack_table_destroy(table);
  table = stack_table_create(100, 1 << 16);
  uint32_t deep = stack_table_add(table, pcs, 300, 299, &is_new);
  if (!stack_table_get(table, deep, &count, &guessed) || count != stack_table_deepest || guessed != count) return "a stack that is too deep is not cut";
  stack_table_destroy(table);
  return NULL;
}

const char *test_table_in_child(void) {
  stack_table *table = stack_table_create(100, 1 << 16);
  uint64_t pcs[3] = {7, 8, 9};
  bool is_new;
  uint32_t number = table ? stack_table_add(table, pcs, 3, 3, &is_new) : 0;
  if (!number || !is_new) return "it takes nothing";
  pid_t child = fork();
  if (child == 0) {
    bool was_empty = stack_table_count(table) == 0;
    uint32_t own = stack_table_add(table, pcs, 3, 3, &is_new);
    // Walks go on there, too.
    _exit(was_empty && own && is_new && !test_walk_shapes(1, 5) && modules_count() > 1 ? 0 : 1);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return "a child does not find it empty";
  uint32_t again = stack_table_add(table, pcs, 3, 3, &is_new);
  stack_table_destroy(table);
  return again == number && !is_new ? NULL : "the child has changed its parent's";
}

// ---- Rules that are remembered, by many threads at once

typedef struct {
  uint64_t seed;
  const uint64_t *addresses, *rules;
  size_t count;
  bool is_right;
  pthread_t thread;
} asker;

static void *ask(void *argument) {
  asker *a = argument;
  uint64_t random = a->seed;
  a->is_right = true;
  for (int i = 0; i < 200000; i++) {
    size_t which = next_random(&random) % a->count;
    if (unwind_rule_at(a->addresses[which], i % 64 == 0) != a->rules[which]) a->is_right = false;
  }
  return NULL;
}

static const module *libc_module(void) {
  modules_refresh();
  return module_at(module_of((uint64_t)(uintptr_t)getpid));
}

static void image_of(unwind_image *image, const uint8_t *bytes, uint64_t low, uint64_t high) {
  *image = (unwind_image){.bytes = bytes, .low = low, .high = high};
}

const char *test_rules_of_threads(uint64_t seed) {
  enum { addresses = 20000, threads = 4 };
  const module *libc = libc_module();
  uint64_t *address = malloc(addresses * 8), *rules = malloc(addresses * 8), random = seed;
  if (!libc || !address || !rules) return "there is no C library";
  size_t known = 0;
  for (size_t i = 0; i < addresses; i++) {
    unwind_image image;
    image_of(&image, (const uint8_t *)(uintptr_t)libc->low, libc->low, libc->high);
    address[i] = libc->code_low + next_random(&random) % (libc->code_high - libc->code_low);
    rules[i] = rule_find(&image, libc->frame_header, address[i], NULL);
    known += rules[i] != 0;
  }
  const char *result = known > addresses / 2 ? NULL : complain("only %zu rules are known", known);
  asker askers[threads];
  for (int i = 0; i < threads; i++) {
    askers[i] = (asker){.seed = seed + (uint64_t)i, .addresses = address, .rules = rules, .count = addresses};
    pthread_create(&askers[i].thread, NULL, ask, &askers[i]);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(askers[i].thread, NULL);
    if (!askers[i].is_right) result = "a rule is remembered of another address";
  }
  free(address);
  free(rules);
  return result;
}

// ---- Damaged rules

// The bytes of a module from its table of rules on, as far as they can be read, in a copy of exactly that size.
static uint8_t *copy_rules(const module *one, size_t most, size_t *size) {
  uint8_t *all = malloc(most);
  if (!all) return NULL;
  uint64_t wanted = one->high - one->frame_header;
  *size = peek(one->frame_header, all, wanted < most ? wanted : most);
  uint8_t *exact = malloc(*size ? *size : 1);
  if (exact) memcpy(exact, all, *size);
  free(all);
  return exact;
}

const char *test_rules_flipped(uint64_t seed, size_t rounds) {
  const module *libc = libc_module();
  size_t size;
  uint8_t *bytes = libc ? copy_rules(libc, 4 << 20, &size) : NULL;
  uint64_t random = seed, low = libc->frame_header;
  unwind_image image;
  if (!bytes || size < 1000) return "there are no rules";
  for (size_t round = 0; round < rounds; round++) {
    uint64_t address = libc->code_low + next_random(&random) % (libc->code_high - libc->code_low);
    image_of(&image, bytes, low, low + size);
    unwind_rule right = rule_find(&image, low, address, NULL);
    if (right != unwind_rule_at(address, round % 16 == 0)) return complain("a copy has another rule at %#llx", (unsigned long long)address);
    // Here and there, and in what this address leads to: what stands behind it in the table.
    size_t place[12];
    uint8_t was[12];
    size_t count = 1 + next_random(&random) % 12;
    for (size_t i = 0; i < count; i++) {
      size_t pair = 12 + (size_t)(next_random(&random) % ((size - 12) / 8)) * 8 + 4;
      int32_t entry;
      memcpy(&entry, bytes + (pair + 4 <= size ? pair : 16), 4);
      size_t near = (size_t)(int64_t)entry + next_random(&random) % 48;
      place[i] = next_random(&random) % 3 == 0 || near >= size ? next_random(&random) % size : near;
      was[i] = bytes[place[i]];
      bytes[place[i]] = (uint8_t)next_random(&random);
    }
    rule_find(&image, low, address, NULL);
    // Every place as an entry, and every address.
    for (int i = 0; i < 20; i++) {
      uint64_t begin = 0, entry = low + place[next_random(&random) % count] - next_random(&random) % 40;
      rule_decode(&image, low, entry, address, &begin);
    }
    while (count--) bytes[place[count]] = was[count];
  }
  free(bytes);
  return NULL;
}

const char *test_rules_cut(void) {
  // The smallest module that has rules, at the end of pages behind which there is nothing.
  modules_refresh();
  const module *small = NULL;
  size_t size = SIZE_MAX;
  for (uint32_t i = 1; i <= modules_count(); i++) {
    const module *one = module_at(i);
    if (one->frame_header && one->high - one->frame_header < size) size = (size_t)((small = one)->high - one->frame_header);
  }
  uint8_t *bytes = small ? copy_rules(small, 1 << 16, &size) : NULL;
  if (!bytes) return "there are no rules";
  size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
  uint8_t *pages = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + room, page, PROT_NONE) != 0) return "there is no memory";
  uint64_t random = 1, low = small->frame_header, address = 0;
  unwind_rule right = 0;
  unwind_image image;
  for (int i = 0; i < 100000 && !right; i++) {
    address = small->code_low + next_random(&random) % (small->code_high - small->code_low);
    image_of(&image, bytes, low, low + size);
    right = rule_find(&image, low, address, NULL);
  }
  if (!right) return "none of its addresses has a rule";
  for (size_t left = 0; left <= size; left++) {
    uint8_t *at = pages + room - left;
    memcpy(at, bytes, left);
    image_of(&image, at, low, low + left);
    unwind_rule rule = rule_find(&image, low, address, NULL);
    if (rule && rule != right) return complain("%zu bytes say another rule", left);
    for (uint64_t entry = low; entry < low + left && left < 600; entry++) rule_decode(&image, low, entry, address, NULL);
  }
  munmap(pages, room + page);
  free(bytes);
  return NULL;
}

const char *test_peek(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out[64];
  if (pages == MAP_FAILED || munmap(pages + page, page) != 0) return "there is no memory";
  memset(pages, 0x5A, page);
  uint64_t end = (uint64_t)(uintptr_t)pages + page;
  if (peek(end - 32, out, 64) != 32 || out[31] != 0x5A) return "what can be read is not";
  if (peek(end, out, 64) || peek(0, out, 8) || peek(UINT64_MAX - 3, out, 8) || peek(INT64_MAX, out, 8)) return "what can't be read is";
  if (peek_all(end - 32, out, 64) || !peek_all(end - 32, out, 32)) return "half of it is all";
  munmap(pages, page);
  return NULL;
}
#endif
