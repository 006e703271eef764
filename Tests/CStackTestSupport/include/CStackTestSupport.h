// Programs for the tests of stacks. What gives back a text gives null when all is right, else what is not.
#ifndef CSTACKTESTSUPPORT_H
#define CSTACKTESTSUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Walks

// How many frames a stack has, and a number that another one hardly has.
typedef struct {
  size_t frames;
  uint64_t hash;
} test_walked;
// This thread's stack, compared to what the compiler's unwinder says.
const char *test_walk_here(test_walked *out);
// The same behind functions of many kinds.
const char *test_walk_shapes(uint64_t seed, int depth);
const char *test_walk_fiber(uint64_t seed);
const char *test_walk_signal(uint64_t seed, bool on_other_stack);
// Stacks that hold anything.
const char *test_walk_damaged(uint64_t seed, size_t rounds);
// Loads a copy of zlib, walks in a call of it, unloads it: its number as a module, and where it was.
const char *test_walk_library(const char *path, uint32_t *number, uint64_t *base);
// Where zlib lies.
const char *test_library_path(const char *symbol_of);
const char *test_bounds(void);
const char *test_modules(void);

// ---- The table of stacks, rules, memory

const char *test_table(uint64_t seed, int threads);
const char *test_table_is_full(void);
const char *test_table_in_child(void);
const char *test_rules_of_threads(uint64_t seed);
const char *test_rules_flipped(uint64_t seed, size_t rounds);
const char *test_rules_cut(void);
const char *test_peek(void);

// ---- Threads that sleep

uint32_t test_thread_id(void);

// The return addresses behind this call, by the compiler's unwinder.
typedef struct {
  uint32_t id;
  size_t count;
  uint64_t pcs[200];
} test_stack;
void test_take_stack(test_stack *out);

// What a look sees of one thread, with what it sleeps in.
typedef struct {
  int kind;             // As in locks.h.
  const char *call;
  uint64_t lock;
  uint32_t owner;
  bool owner_ended;
  char state;
  bool is_running;
  char name[32];
  uint64_t cpu;
  uint32_t depth, guessed;
  uint64_t pcs[64];
} test_seen;
bool test_see(uint32_t id, test_seen *out);
// Whether a stack that was seen ends in one that was taken before, by the thread's own unwinder.
const char *test_compare(const test_seen *seen, const test_stack *taken);

// Each way to sleep, behind functions that the seed chooses: kind, owner, lock and stack.
int test_sleep_ways(void);
const char *test_sleep_way(int which);
const char *test_sleeper(int which, uint64_t seed);
const char *test_owner_ended(void);
const char *test_locks_hostile(uint64_t seed);
const char *test_crowd(int threads);
const char *test_unrest(int rounds);
const char *test_moment(void);
const char *test_look_at_self(void);

#endif
