// Sampled allocations: which are sampled, what becomes of them, and that the program gets what it would get without.
#if defined(__linux__)
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/describe/code.h"
#include "../../Sources/COpTrace/describe/texts.h"
#include "../../Sources/COpTrace/memory/countdown.h"
#include "../../Sources/COpTrace/memory/live.h"
#include "../../Sources/COpTrace/memory/notes.h"
#include "../../Sources/COpTrace/storage/recorder.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

// ---- Recording -----------------------------------------------------------------------------------------------------

static optrace_recorder *begin(uint64_t interval) {
  if (is_emulated() || is_sanitized()) {
    core_test_skip("allocations cannot be heard there");
    return NULL;
  }
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  if (recorder && (!texts_begin(recorder, UINT64_MAX) || !code_begin(recorder))) core_test_fail(__FILE__, __LINE__, "no memory");
  optrace_recorder_use_stacks(recorder, optrace_stacks_waits);
  optrace_recorder_set_hooks(recorder, optrace_hooks_used);
  EXPECT_NOTHING(optrace_hooks_install());
  EXPECT_NOTHING(optrace_record_memory(recorder, interval));
  return recorder;
}

typedef struct {
  uint64_t allocations, bytes, untold, watched, freed, freed_twice, resized, lost, without_frame;
  double estimate, variance;  // Of the bytes that were allocated.
  uint64_t live, live_bytes;
} memory_facts;

typedef struct {
  uint64_t size, changed;
  bool is_gone;
} watched;

// By size, so that what the harness allocates besides does not count.
static memory_facts facts_between(const trace *t, uint64_t least, uint64_t most, uint64_t interval) {
  memory_facts facts = {0};
  uint32_t last = 0;
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == optrace_kind_allocated) {
      uint32_t number = optrace_allocated_read(t->records[i].word[0], t->records[i].word[1]).number;
      last = number > last ? number : last;
    }
  // The flusher writes most of them, and who stops the recorder the last ones: by number, not by thread.
  watched *blocks = calloc(last + 1, sizeof *blocks);
  if (!blocks) return facts;
  for (size_t i = 0; i < t->count; i++) {
    const record *one = &t->records[i];
    if (one->kind == optrace_kind_memory_use) facts.lost = optrace_memory_use_read(one->word[0], one->word[1]).lost;
    if (one->kind != optrace_kind_allocated) continue;
    optrace_allocated_fields fields = optrace_allocated_read(one->word[0], one->word[1]);
    if (fields.size < least || fields.size > most) continue;
    double chance = countdown_chance(fields.size, interval), size = (double)fields.size;
    facts.allocations++;
    facts.bytes += fields.size;
    facts.without_frame += !one->subject;
    facts.estimate += size / chance;
    facts.variance += size * size * (1 - chance) / (chance * chance);
    if (fields.number) facts.watched++, blocks[fields.number].size = fields.size;
    else facts.untold++;
  }
  for (size_t i = 0; i < t->count; i++) {
    const record *one = &t->records[i];
    bool is_end = one->kind == optrace_kind_freed, is_change = one->kind == optrace_kind_resized;
    if ((!is_end && !is_change) || one->subject > last || !blocks[one->subject].size) continue;
    watched *block = &blocks[one->subject];
    facts.freed += is_end;
    facts.freed_twice += is_end && block->is_gone;
    block->is_gone |= is_end;
    facts.resized += is_change;
    if (is_change && one->ticks >= block->changed) block->size = optrace_resized_read(one->word[0]).size, block->changed = one->ticks;
  }
  for (uint32_t n = 1; n <= last; n++)
    if (blocks[n].size && !blocks[n].is_gone) facts.live++, facts.live_bytes += blocks[n].size;
  free(blocks);
  return facts;
}

static memory_facts stop(optrace_recorder *recorder, uint64_t least, uint64_t most, uint64_t interval) {
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  optrace_hooks_remove();
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  memory_facts facts = facts_between(&t, least, most, interval);
  trace_free(&t);
  return facts;
}

static void *volatile kept;
// No compiler may leave out an allocation, or take `errno` for what it was before.
static void *keep(void *block) {
  kept = block;
  __asm__ volatile("" ::: "memory");
  return block;
}

// ---- Numbers -------------------------------------------------------------------------------------------------------

TEST(logarithms_and_powers_are_those_of_the_c_library) {
  EXPECT(countdown_log(1) == 0);
  EXPECT(__builtin_fabs(countdown_log(2.718281828459045) - 1) < 1e-12);
  EXPECT(__builtin_fabs(countdown_log(9007199254740992.0) - 36.7368005696771) < 1e-10);
  EXPECT(__builtin_fabs(countdown_exp_minus(0) - 1) < 1e-12);
  EXPECT(__builtin_fabs(countdown_exp_minus(1) - 0.36787944117144233) < 1e-12);
  EXPECT(__builtin_fabs(countdown_exp_minus(20) / 2.061153622438558e-09 - 1) < 1e-9);
  EXPECT(countdown_exp_minus(1e9) == 0);
}

TEST(distances_to_chosen_bytes_have_the_mean_that_was_asked_for) {
  enum { draws = 200000, interval = 512 << 10 };
  countdown own = {0};
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; i++) {
    double distance = (double)countdown_draw(&own, interval);
    sum += distance / interval;
    squares += distance / interval * distance / interval;
  }
  // The mean is 1, the square's 2; five standard errors.
  EXPECT(sum / draws > 0.988 && sum / draws < 1.012);
  EXPECT(squares / draws > 1.95 && squares / draws < 2.05);
  EXPECT_EQUAL(countdown_draw(&own, 1), 0);
}

TEST(notes_are_taken_in_their_order_and_a_full_queue_says_so) {
  static note_queue queue;
  memory_note note = {0};
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < notes_most; i++) {
      note.number = i;
      REQUIRE(notes_add(&queue, &note));
    }
    EXPECT(!notes_add(&queue, &note));
    EXPECT_EQUAL(notes_room(&queue), 0);
    for (uint32_t i = 0; i < notes_most; i++) {
      REQUIRE(notes_take(&queue, &note));
      EXPECT_EQUAL(note.number, i);
    }
    EXPECT(!notes_take(&queue, &note));
  }
}

TEST(a_table_of_live_blocks_holds_three_quarters_of_its_room) {
  static live_table table;
  enum { most = live_most / 4 * 3 };
  uint32_t replaced, refused = 0;
  live_block block = {.size = 7, .interval = 1}, taken;
  for (uint64_t i = 1; i <= most; i++) {
    block.number = (uint32_t)i;
    refused += !live_add(&table, (void *)(uintptr_t)(0x7F0000000000 + i * 4048), &block, &replaced);
  }
  EXPECT(refused <= most / 100);
  EXPECT_EQUAL(atomic_load(&table.count), most - refused);
  for (uint64_t i = 1; i <= most; i++)
    if (live_take(&table, (void *)(uintptr_t)(0x7F0000000000 + i * 4048), &taken)) EXPECT_EQUAL(taken.number, i);
  EXPECT_EQUAL(atomic_load(&table.count), 0);
  // What was freed unheard is replaced.
  EXPECT(live_add(&table, (void *)4096, &(live_block){.number = 1}, &replaced) && !replaced);
  EXPECT(live_add(&table, (void *)4096, &(live_block){.number = 2}, &replaced) && replaced == 1);
  live_clear(&table);
  EXPECT(!live_take(&table, (void *)4096, &taken));
}

// ---- Which are sampled -----------------------------------------------------------------------------------------------

enum { odd_size = 10007 };

TEST(at_an_interval_of_one_byte_each_allocation_is_told_with_its_end) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  enum { count = 300 };
  void *blocks[count];
  for (int i = 0; i < count; i++) blocks[i] = keep(malloc(odd_size));
  for (int i = 0; i < count; i += 3) free(blocks[i]);
  memory_facts facts = stop(recorder, odd_size, odd_size, 1);
  EXPECT_EQUAL(facts.allocations, count);
  EXPECT_EQUAL(facts.bytes, count * odd_size);
  EXPECT_EQUAL(facts.untold, 0);
  EXPECT_EQUAL(facts.freed, count / 3);
  EXPECT_EQUAL(facts.live, count - count / 3);
  EXPECT_EQUAL(facts.lost, 0);
  EXPECT_EQUAL(facts.without_frame, 0);
  for (int i = 0; i < count; i++)
    if (i % 3) free(blocks[i]);
}

TEST(each_function_that_allocates_is_heard) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  void *aligned = NULL;
  free(keep(calloc(odd_size, 1)));
  free(keep(aligned_alloc(64, odd_size + 1)));
  free(keep(memalign(64, odd_size + 2)));
  EXPECT_EQUAL(posix_memalign(&aligned, 64, odd_size + 3), 0);
  free(keep(aligned));
  free(keep(reallocarray(NULL, odd_size + 4, 1)));
  free(keep(realloc(NULL, odd_size + 5)));
  memory_facts facts = stop(recorder, odd_size, odd_size + 5, 1);
  EXPECT_EQUAL(facts.allocations, 6);
  EXPECT_EQUAL(facts.freed, 6);
}

TEST(a_block_that_grows_counts_what_it_grows_by_and_keeps_its_birth) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  enum { step = 100003, steps = 50 };
  char *block = NULL;
  for (int i = 1; i <= steps; i++) block = keep(realloc(block, (size_t)i * step));
  memory_facts facts = stop(recorder, step / 2, step * 2, 1);
  // In one piece, each step once.
  EXPECT_EQUAL(facts.bytes, (uint64_t)steps * step);
  EXPECT_EQUAL(facts.watched, 1);
  EXPECT_EQUAL(facts.live, 1);
  EXPECT_EQUAL(facts.live_bytes, (uint64_t)steps * step);
  free(block);
}

// Allocates and keeps blocks of each size, and compares with what was estimated.
static void estimate(uint64_t interval, size_t size, int count) {
  optrace_recorder *recorder = begin(interval);
  if (!recorder) return;
  void **blocks = calloc((size_t)count, sizeof *blocks);
  for (int i = 0; i < count; i++) blocks[i] = keep(malloc(size));
  for (int i = 0; i < count; i += 2) free(blocks[i]);
  memory_facts facts = stop(recorder, size, size, interval);
  double off = facts.estimate - (double)size * count;
  // Five errors: once in a million.
  EXPECT(off * off <= 25 * facts.variance + 1);
  EXPECT_EQUAL(facts.untold, 0);
  EXPECT_EQUAL(facts.lost, 0);
  // Half of them were freed: within five errors, too.
  double half = (double)facts.watched / 2, gone = (double)facts.freed;
  EXPECT((gone - half) * (gone - half) <= 25 * (half / 2 + 1));
  EXPECT_EQUAL(facts.live + facts.freed, facts.watched);
  for (int i = 1; i < count; i += 2) free(blocks[i]);
  free(blocks);
}

TEST(small_blocks_are_estimated_within_their_error) { estimate(64 << 10, 99, 400000); }
TEST(blocks_as_large_as_the_interval_are_estimated_within_their_error) { estimate(64 << 10, 65537, 1500); }
TEST(large_blocks_are_estimated_within_their_error) { estimate(64 << 10, 1000003, 200); }

TEST(an_interval_larger_than_memory_samples_nothing_and_harms_nothing) {
  optrace_recorder *recorder = begin(((uint64_t)1 << 40) - 1);
  if (!recorder) return;
  for (int i = 0; i < 1000; i++) free(keep(malloc(odd_size)));
  memory_facts facts = stop(recorder, odd_size, odd_size, 1);
  EXPECT(facts.allocations <= 1);
}

// ---- The program gets what it would get without --------------------------------------------------------------------------

// What an impossible size makes of a call: whether it fails, and `errno`. Allocators differ in the latter.
typedef struct {
  bool fails;
  int error;
} refusal;
enum { impossible_sizes = 5, impossible_calls = 4 };

static refusal refused(bool fails) { return (refusal){fails, errno}; }

static void ask_for_impossible_sizes(char *block, refusal answers[impossible_sizes][impossible_calls]) {
  static const size_t sizes[impossible_sizes] = {
    SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 63, ((size_t)1 << 63) + ((size_t)1 << 62), PTRDIFF_MAX};
  for (int i = 0; i < impossible_sizes; i++) {
    volatile size_t size = sizes[i];
    errno = 0;
    answers[i][0] = refused(!keep(malloc(size)));
    errno = 0;
    answers[i][1] = refused(!keep(calloc(size, 2)));
    errno = 0;
    answers[i][2] = refused(!keep(realloc(block, size)));
    void *other = NULL;
    int error = posix_memalign(&other, 64, size);
    answers[i][3] = (refusal){!other, error};
  }
}

TEST(impossible_sizes_fail_as_without_and_count_nothing) {
  SKIP_IF(is_sanitized(), "the sanitizer ends a program that asks for them");
  refusal before[impossible_sizes][impossible_calls], then[impossible_sizes][impossible_calls];
  char *block = keep(malloc(100));
  REQUIRE(block);
  memset(block, 7, 100);
  ask_for_impossible_sizes(block, before);
  optrace_recorder *recorder = begin(64 << 10);
  if (!recorder) return;
  ask_for_impossible_sizes(block, then);
  for (int i = 0; i < impossible_sizes; i++)
    for (int k = 0; k < impossible_calls; k++) {
      EXPECT(then[i][k].fails);
      EXPECT_EQUAL(then[i][k].fails, before[i][k].fails);
      EXPECT_EQUAL(then[i][k].error, before[i][k].error);
    }
  for (int i = 0; i < 100; i++) EXPECT_EQUAL(block[i], 7);
  void *other = NULL;
  EXPECT_EQUAL(posix_memalign(&other, 3, 8), EINVAL);
  free(block);
  free(NULL);
  free(keep(malloc(0)));
  // The countdown goes on.
  for (int i = 0; i < 1000; i++) free(keep(malloc(odd_size)));
  memory_facts facts = stop(recorder, odd_size, odd_size, 64 << 10);
  EXPECT(facts.allocations > 50 && facts.allocations < 400);
  EXPECT_EQUAL(facts.allocations, facts.freed);
}

TEST(a_watched_block_that_cannot_grow_stays_watched) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  void *block = keep(malloc(odd_size));
  volatile size_t impossible = PTRDIFF_MAX;
  EXPECT(!keep(realloc(block, impossible)));
  free(block);
  memory_facts facts = stop(recorder, odd_size, odd_size, 1);
  EXPECT_EQUAL(facts.allocations, 1);
  EXPECT_EQUAL(facts.freed, 1);
}

enum { exchange_count = 512, freeing_threads = 16, rounds = 3000 };
static void *_Atomic exchange[exchange_count];

// Each thread puts blocks into a list that all share, and frees or resizes what it finds there.
static void trade(int which) {
  uint32_t random = (uint32_t)which * 2654435761u + 1;
  for (int i = 0; i < rounds; i++) {
    random = random * 1664525u + 1013904223u;
    size_t size = 16 + (random >> 8) % 5000;
    unsigned char *block = malloc(size);
    if (!block) continue;
    block[0] = block[size - 1] = 0x5A;
    if (random >> 30 == 0) {
      size_t larger = size * 3;
      block = realloc(block, larger);
      if (!block || block[0] != 0x5A) core_test_fail(__FILE__, __LINE__, "a block has lost its contents");
    } else if (random >> 30 == 1) {
      block = realloc(block, 16);
    }
    free(atomic_exchange(&exchange[(random >> 4) % exchange_count], block));
  }
}

static void empty_exchange(void) {
  for (int i = 0; i < exchange_count; i++) free(atomic_exchange(&exchange[i], NULL));
}

static void trade_at(uint64_t interval) {
  optrace_recorder *recorder = begin(interval);
  if (!recorder) return;
  on_threads(freeing_threads, trade);
  empty_exchange();
  memory_facts facts = stop(recorder, 16, 16000, interval);
  EXPECT(facts.allocations > 0);
  EXPECT_EQUAL(facts.freed_twice, 0);
  if (facts.lost) return;
  // All that was watched is gone but what the harness keeps.
  EXPECT(facts.live <= 64);
}

TEST(threads_that_free_each_others_blocks_tell_each_end_once) { trade_at(4096); }
TEST(threads_may_allocate_faster_than_anybody_writes) { trade_at(1); }

// In data, where no call goes through an import table: libraries have such pointers.
static void *(*volatile by_pointer)(size_t size) = malloc;
static void (*volatile freed_by_pointer)(void *block) = free;

TEST(calls_by_pointers_in_data_are_heard) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  freed_by_pointer(by_pointer(odd_size));
  memory_facts facts = stop(recorder, odd_size, odd_size, 1);
  EXPECT_EQUAL(facts.allocations, 1);
  EXPECT_EQUAL(facts.freed, 1);
  EXPECT(by_pointer == malloc && freed_by_pointer == free);
}

static _Atomic int handled;
static void *_Atomic left_by_handler;

static void allocate_in_handler(int number) {
  (void)number;
  int error = errno;
  void *block = malloc(600 + (size_t)atomic_load(&handled) % 64);
  free(atomic_exchange(&left_by_handler, block));
  atomic_fetch_add(&handled, 1);
  errno = error;
}

// A handler may not allocate while its thread does, but for allocators that let it: the signal comes while none is in one.
TEST(handlers_that_allocate_between_samples_neither_hang_nor_lose) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  struct sigaction action = {.sa_handler = allocate_in_handler};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 500; i++) {
    free(keep(malloc(odd_size)));
    raise(SIGUSR1);
  }
  free(atomic_exchange(&left_by_handler, NULL));
  memory_facts facts = stop(recorder, 600, 663, 1);
  EXPECT_EQUAL(atomic_load(&handled), 500);
  EXPECT_EQUAL(facts.allocations, 500);
  EXPECT_EQUAL(facts.freed, 500);
}

TEST(a_forked_child_allocates_as_without_and_its_parent_goes_on) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  void *before = keep(malloc(odd_size));
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    if (child == 0) {
      free(before);
      for (int k = 0; k < 1000; k++) free(keep(malloc(odd_size + 1)));
      char *grown = keep(malloc(10));
      for (size_t k = 1; k < 100; k++) grown = realloc(grown, k * 1000);
      free(grown);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQUAL(status, 0);
    free(keep(malloc(odd_size + 2)));
  }
  free(before);
  memory_facts facts = stop(recorder, odd_size, odd_size + 2, 1);
  EXPECT_EQUAL(facts.allocations, 21);
  EXPECT_EQUAL(facts.freed, 21);
}

// The recorder's clock: the ring is filled until it has forgotten the allocations, and they are told again.
static bool is_told_again(void *recorder) {
  for (int i = 0; i < 2000; i++) optrace_emit2(recorder, optrace_kind_lost, 0, 1);
  uint64_t beats = atomic_load(header_word(recorder, optrace_header_heartbeat_sequence)) / 2;
  static uint64_t first;
  if (!first) first = beats;
  return beats >= first + 6;
}

TEST(a_ring_tells_again_what_lives) {
  if (is_emulated() || is_sanitized()) return core_test_skip("allocations cannot be heard there");
  optrace_recorder *recorder = recording_begin_flight("run.optrace", 1 << 20);
  REQUIRE(recorder && texts_begin(recorder, UINT64_MAX) && code_begin(recorder));
  optrace_recorder_use_stacks(recorder, optrace_stacks_waits);
  optrace_recorder_set_hooks(recorder, optrace_hooks_used);
  EXPECT_NOTHING(optrace_hooks_install());
  EXPECT_NOTHING(optrace_record_memory(recorder, 1));
  enum { count = 40 };
  void *blocks[count];
  for (int i = 0; i < count; i++) blocks[i] = keep(malloc(odd_size));
  EXPECT(comes_true(is_told_again, recorder));
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  optrace_hooks_remove();
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  size_t told = 0, allocated = 0;
  bool is_known[1 << 16] = {false};
  for (size_t i = 0; i < t.count; i++) {
    const record *one = &t.records[i];
    if (one->kind == optrace_kind_allocated && optrace_allocated_read(one->word[0], one->word[1]).size == odd_size) allocated++;
    if (one->kind != optrace_kind_allocation_lives) continue;
    optrace_allocation_lives_fields fields = optrace_allocation_lives_read(one->word[0], one->word[1]);
    if (fields.size != odd_size || fields.number >= 1 << 16 || is_known[fields.number]) continue;
    EXPECT(one->subject);
    is_known[fields.number] = true;
    told++;
  }
  // None of their allocations is left, and each block is known.
  EXPECT_EQUAL(allocated, 0);
  EXPECT_EQUAL(told, count);
  trace_free(&t);
  for (int i = 0; i < count; i++) free(blocks[i]);
}

TEST(after_recording_the_program_allocates_and_frees_what_was_watched) {
  optrace_recorder *recorder = begin(1);
  if (!recorder) return;
  void *blocks[100];
  for (int i = 0; i < 100; i++) blocks[i] = keep(malloc(odd_size));
  memory_facts facts = stop(recorder, odd_size, odd_size, 1);
  EXPECT_EQUAL(facts.live, 100);
  for (int i = 0; i < 100; i++) blocks[i] = keep(realloc(blocks[i], 2 * odd_size));
  for (int i = 0; i < 100; i++) free(blocks[i]);
  for (int i = 0; i < 1000; i++) free(keep(malloc(100)));
}
#endif
