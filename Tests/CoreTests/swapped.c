// Two libraries that are loaded at the same address, one after the other: an address means the one that was loaded when it was read.
#if defined(__linux__)
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../Sources/COpTrace/describe/code.h"
#include "../../Sources/COpTrace/describe/texts.h"
#include "../../Sources/COpTrace/operations/operation.h"
#include "../../Sources/COpTrace/profile/profile.h"
#include "../../Sources/COpTrace/records/stack_ids.h"
#include "../../Sources/COpTrace/stacks/unloaded.h"
#include "COpTraceFields.h"
#include "harness.h"
#include "libraries.h"
#include "reader.h"
#include "recording.h"

typedef struct {
  void *handle;
  int (*visit)(int (*)(void *), void *);
} library;

static library load(const char *path) {
  library made = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (made.handle) made.visit = (int (*)(int (*)(void *), void *))dlsym(made.handle, "visit");
  if (!made.visit) core_test_fail(__FILE__, __LINE__, "%s", dlerror());
  return made;
}

// As the hook of `dlclose` does.
static void unload(library *of) {
  modules_refresh();
  profile_drain_all();
  EXPECT_EQUAL(dlclose(of->handle), 0);
  modules_refresh_behind();
}

static uint64_t address_of(const library *of) { return (uint64_t)(uintptr_t)of->visit; }

static optrace_recorder *begin(void) {
  if (!library_copy("one.so") || !library_copy("two.so")) return NULL;
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  if (!recorder || !texts_begin(recorder, UINT64_MAX) || !code_begin(recorder)) return NULL;
  optrace_recorder_use_stacks(recorder, optrace_stacks_all);
  return recorder;
}

// Loads the second library where the first one was. False: the system has put it elsewhere.
static bool swap(library *first, library *second) {
  uint64_t place = address_of(first);
  unload(first);
  *second = load("./two.so");
  if (address_of(second) == place) return true;
  core_test_fail(__FILE__, __LINE__, "it is loaded elsewhere, so this shows nothing");
  return false;
}

static const record *record_of(const trace *t, uint8_t kind, uint32_t subject) {
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == kind && t->records[i].subject == subject) return &t->records[i];
  return NULL;
}

// The file of a frame, without its folder: "" if it has none.
static const char *file_of(const trace *t, uint32_t frame) {
  static char name[64];
  name[0] = 0;
  const record *found = record_of(t, optrace_kind_frame, frame);
  uint32_t id = found ? optrace_frame_read(found->word[0], found->word[1]).image : 0;
  const record *image = id ? record_of(t, optrace_kind_image, id) : NULL;
  if (!image || !image->length || image->length >= 4096) return name;
  size_t from = image->length;
  while (from && image->text[from - 1] != '/') from--;
  if (image->length - from >= sizeof name) return name;
  memcpy(name, image->text + from, image->length - from);
  name[image->length - from] = 0;
  return name;
}

#define EXPECT_FILE(t, frame, name)                                                                                     \
  do {                                                                                                                  \
    const char *file_ = file_of(t, frame);                                                                              \
    if (strcmp(file_, name) != 0) core_test_fail(__FILE__, __LINE__, "%s is of '%s' and not of '%s'", #frame, file_, name); \
  } while (0)

static uint32_t caller_of(const trace *t, uint32_t frame) {
  const record *found = record_of(t, optrace_kind_frame, frame);
  return found ? optrace_frame_read(found->word[0], found->word[1]).caller : 0;
}

// ---- Functions and stacks --------------------------------------------------------------------------------------------

typedef struct {
  uint32_t code, stack, whole;
} numbers;

static numbers number_all(optrace_recorder *recorder, const library *of) {
  uint64_t inside = address_of(of) + 4;
  const uint64_t stack[] = {inside, (uint64_t)(uintptr_t)&core_test_fail + 4};
  return (numbers){optrace_code_id(recorder, address_of(of)), stack_id_of(recorder, &inside, 1, 1), stack_id_of(recorder, stack, 2, 2)};
}

TEST(code_at_one_address_belongs_to_the_library_that_was_loaded) {
  SKIP_IF(is_emulated(), "the emulator loads each library at an address of its own");
  optrace_recorder *recorder = begin();
  library one, two, again;
  REQUIRE(recorder && (one = load("./one.so")).visit);
  numbers first = number_all(recorder, &one), same = number_all(recorder, &one);
  EXPECT(memcmp(&first, &same, sizeof first) == 0);
  if (!swap(&one, &two)) return;
  numbers second = number_all(recorder, &two);
  unload(&two);
  again = load("./one.so");
  EXPECT_EQUAL(address_of(&again), address_of(&two));
  numbers third = number_all(recorder, &again);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_FILE(&t, first.code, "one.so");
  EXPECT_FILE(&t, first.stack, "one.so");
  EXPECT_FILE(&t, first.whole, "one.so");
  EXPECT_FILE(&t, second.code, "two.so");
  EXPECT_FILE(&t, second.stack, "two.so");
  EXPECT_FILE(&t, second.whole, "two.so");
  // Outside of the libraries nothing has changed.
  EXPECT(first.whole && caller_of(&t, first.whole) == caller_of(&t, second.whole));
  // What comes back is described once.
  EXPECT(memcmp(&first, &third, sizeof first) == 0);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_image), 3);
  trace_free(&t);
}

// ---- What is remembered by address -------------------------------------------------------------------------------------

TEST(answers_for_an_unloaded_library_are_forgotten_and_all_others_are_kept) {
  SKIP_IF(is_emulated(), "the emulator loads each library at an address of its own");
  enum { others = 200 };
  optrace_recorder *recorder = begin();
  library one, two;
  REQUIRE(recorder && (one = load("./one.so")).visit);
  modules_refresh();
  uint64_t inside = address_of(&one), outside = (uint64_t)(uintptr_t)&core_test_fail;
  EXPECT(module_of(inside) && !module_is_own(inside + 1) == !module_is_own(inside + 2));
  optrace_cache_add(recorder, inside, 7, 1);
  optrace_cache_add(recorder, outside, inside, 2);
  for (uint32_t i = 0; i < others; i++) optrace_cache_add(recorder, outside + i, 7, 3 + i);
  EXPECT(optrace_cache_find(recorder, inside, 7) == 1 && optrace_cache_find(recorder, outside, inside) == 2);
  if (!swap(&one, &two)) return;
  EXPECT(!optrace_cache_find(recorder, inside, 7) && !optrace_cache_find(recorder, outside, inside));
  for (uint32_t i = 0; i < others; i++) EXPECT_EQUAL(optrace_cache_find(recorder, outside + i, 7), 3 + i);
  optrace_cache_add(recorder, inside, 7, 9);
  EXPECT_EQUAL(optrace_cache_find(recorder, inside, 7), 9);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

static int make_operation(void *operation) {
  optrace_operation_made(operation, optrace_here());
  return 1;
}

// The frames of the creator's stack that are in this library.
static size_t count_frames_of(const trace *t, uint32_t stack, const char *file) {
  size_t count = 0;
  for (; stack; stack = caller_of(t, stack)) count += strcmp(file_of(t, stack), file) == 0;
  return count;
}

TEST(who_created_an_operation_is_known_after_its_library_was_unloaded) {
  SKIP_IF(is_emulated(), "the emulator loads each library at an address of its own");
  optrace_recorder *recorder = begin();
  library one, two;
  REQUIRE(recorder && (one = load("./one.so")).visit);
  optrace_operation first = {0}, second = {0};
  one.visit(make_operation, &first);
  REQUIRE(first.made);
  if (!swap(&one, &two)) return;
  two.visit(make_operation, &second);
  EXPECT(second.made != first.made);
  uint32_t of_first = creation_stack_id(recorder, first.made), of_second = creation_stack_id(recorder, second.made);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(count_frames_of(&t, of_first, "one.so"), 1);
  EXPECT_EQUAL(count_frames_of(&t, of_first, "two.so"), 0);
  EXPECT_EQUAL(count_frames_of(&t, of_second, "one.so"), 0);
  EXPECT_EQUAL(count_frames_of(&t, of_second, "two.so"), 1);
  trace_free(&t);
}

TEST(an_address_means_what_was_loaded_at_that_time) {
  SKIP_IF(is_emulated(), "the emulator loads each library at an address of its own");
  optrace_recorder *recorder = begin();
  library one, two;
  REQUIRE(recorder && (one = load("./one.so")).visit);
  modules_refresh();
  uint64_t address = address_of(&one), in_first = optrace_clock_monotonic();
  uint32_t first = module_of(address);
  if (!swap(&one, &two)) return;
  modules_refresh();
  uint32_t second = module_of(address);
  EXPECT(first && second && first != second);
  EXPECT_EQUAL(module_then(address, in_first), first);
  EXPECT_EQUAL(module_then(address, optrace_clock_monotonic()), second);
  // Nobody looks while the second goes and the first comes back, so at that time it may be either.
  uint64_t before = optrace_clock_monotonic();
  EXPECT_EQUAL(dlclose(two.handle), 0);
  one = load("./one.so");
  uint64_t behind = optrace_clock_monotonic();
  modules_refresh();
  EXPECT(address_of(&one) == address && module_of(address) == first);
  EXPECT(!module_then(address, before) && !module_then(address, behind));
  EXPECT_EQUAL(module_then(address, optrace_clock_monotonic()), first);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

TEST(an_address_means_nothing_where_a_library_came_and_went_unseen) {
  SKIP_IF(is_emulated(), "the emulator loads each library at an address of its own");
  optrace_recorder *recorder = begin();
  REQUIRE(recorder && library_copy("one.so") && library_copy("two.so"));
  modules_refresh();
  library one = load("./one.so");
  REQUIRE(one.visit);
  uint64_t address = address_of(&one), in_first = optrace_clock_monotonic();
  EXPECT_EQUAL(dlclose(one.handle), 0);
  library two = load("./two.so");
  REQUIRE(two.visit && address_of(&two) == address);
  modules_refresh();
  EXPECT(!module_then(address, in_first));
  EXPECT(module_of(address) && module_then(address, optrace_clock_monotonic()) == module_of(address));
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

// ---- Samples -----------------------------------------------------------------------------------------------------------

static volatile uint64_t burnt;

static uint64_t used_by_thread(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

// For so many nanoseconds on a processor, whatever the thread has used before. The kernel looks at timers at its own ticks, which on a full
// machine seldom come while this thread runs: a tenth of a second may pass without a sample.
static int burn(void *enough) {
  for (uint64_t from = used_by_thread(); used_by_thread() - from < *(const uint64_t *)enough;)
    for (int i = 0; i < 20000; i++) burnt = burnt * 31 + (uint64_t)i;
  return 1;
}

static bool begin_sampling(optrace_recorder *recorder, uint32_t by) {
  const optrace_profile_options options = {.rate = 997, .by = by};
  int error = recorder ? optrace_recorder_profile(recorder, &options) : 0;
  if (error) core_test_skip(optrace_profile_refusal(error));
  return recorder && !error;
}

typedef struct {
  size_t before, of_one_before, of_two_before, behind, of_one_behind, of_two_behind;
} sample_counts;

// Samples of before and behind the only `ready`, and how many of them are of each library.
static sample_counts count_samples(const trace *t) {
  sample_counts counts = {0};
  uint64_t border = 0;
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == optrace_kind_ready) border = t->records[i].ticks;
  for (size_t i = 0; i < t->count; i++) {
    const record *one = &t->records[i];
    if (one->kind != optrace_kind_sampled && one->kind != optrace_kind_sampled_in_kernel) continue;
    bool is_before = one->ticks - optrace_sampled_read(one->word[0]).age < border;
    bool of_one = count_frames_of(t, one->subject, "one.so"), of_two = count_frames_of(t, one->subject, "two.so");
    *(is_before ? &counts.before : &counts.behind) += 1;
    *(is_before ? &counts.of_one_before : &counts.of_one_behind) += of_one;
    *(is_before ? &counts.of_two_before : &counts.of_two_behind) += of_two;
  }
  return counts;
}

// Two libraries that burn, with the change between them told or not.
static void burn_in_both(uint32_t by, uint64_t ring, bool is_told) {
  SKIP_IF(is_emulated(), "the emulator samples nothing");
  REQUIRE(library_copy("one.so") && library_copy("two.so"));
  optrace_recorder *recorder = ring ? recording_begin_flight("run.optrace", ring) : recording_begin("run.optrace", 0, 0, false);
  REQUIRE(recorder && texts_begin(recorder, UINT64_MAX) && code_begin(recorder));
  optrace_recorder_use_stacks(recorder, optrace_stacks_waits);
  if (!begin_sampling(recorder, by)) return;
  library one, two;
  uint64_t enough = by == optrace_profile_by_timer ? 1000000000 : 100000000;
  REQUIRE((one = load("./one.so")).visit);
  uint64_t place = address_of(&one);
  one.visit(burn, &enough);
  if (is_told) unload(&one);
  else EXPECT_EQUAL(dlclose(one.handle), 0);
  optrace_emit1(recorder, optrace_kind_ready, 1);
  two = load("./two.so");
  REQUIRE(address_of(&two) == place);
  two.visit(burn, &enough);
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  sample_counts counts = count_samples(&t);
  EXPECT_EQUAL(counts.of_two_before, 0);
  EXPECT_EQUAL(counts.of_one_behind, 0);
  EXPECT(counts.before > 0 && counts.behind > 0 && counts.of_two_behind > 0);
  // What was not told may have no name, but never the other's.
  if (is_told && counts.of_one_before < counts.before * 8 / 10)
    core_test_fail(__FILE__, __LINE__, "%zu of %zu", counts.of_one_before, counts.before);
  trace_free(&t);
}

TEST(samples_are_of_the_library_that_was_loaded) { burn_in_both(optrace_profile_by_events, 0, true); }
TEST(samples_in_a_ring_are_of_the_library_that_was_loaded) { burn_in_both(optrace_profile_by_events, 1 << 20, true); }
TEST(samples_by_timers_are_of_the_library_that_was_loaded) { burn_in_both(optrace_profile_by_timer, 0, true); }
TEST(samples_are_never_of_a_library_that_was_not_loaded) { burn_in_both(optrace_profile_by_events, 0, false); }
#endif
