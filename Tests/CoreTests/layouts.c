// Private layouts of Swift's runtime and of libdispatch: nothing is read by a layout that is not known, or that an object which was made to
// try it does not have. The objects are made up.
#include <string.h>

#include "../../Sources/COpTrace/dispatch/queue_layout.h"
#include "../../Sources/COpTrace/hooks/blocks.h"
#include "../../Sources/COpTrace/layouts/left_out.h"
#include "../../Sources/COpTrace/tasks/task_layout.h"
#include "CRecorderInside.h"
#include "COpTraceLayouts.h"
#include "harness.h"

// ---- Versions of tasks ---------------------------------------------------------------------------------------------

TEST(tasks_of_an_unknown_version_have_no_layout) {
  const uint32_t unknown[] = {2, 3, 1u << 24 | 3, 9, UINT32_MAX};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) EXPECT(!optrace_task_layout_of(unknown[i]));
  for (uint32_t version = 0; version <= 1; version++) {
    const optrace_task_layout *layout = optrace_task_layout_of(version);
    REQUIRE(layout && layout->version == version);
    // Parts that are read at once (tasks/suspension.c).
    EXPECT(layout->record_object / 8 < 6 && layout->record_kind / 8 < 6 && layout->record_task / 8 < 6);
    EXPECT(layout->context_parent / 8 < 2 && layout->context_return / 8 < 2);
  }
}

#if defined(__linux__)
TEST(what_a_task_of_an_unknown_version_waits_for_is_not_read) {
  for (int before = 0; before <= 100; before += 50) {
    test_task_reading reading = test_read_task(9, -1, 0, before);
    EXPECT(!reading.fits && !reading.fits_ever && reading.reason == 0 && reading.functions == 0);
    reading = test_read_task(1, -1, 0, before);
    EXPECT(reading.fits && reading.fits_ever && reading.functions == 2);
  }
}
#endif

// ---- A task that is made to try a layout ---------------------------------------------------------------------------

enum { task_words = 26 };
static const uint64_t adapters[2] = {0x7000, 0x8000};
static const uint64_t a_context = 0x9000;
static const uint32_t an_id = 7, some_flags = 0x1500;

// A new task as Swift 6.1 to 6.3 make it, which begins `shifted` words further than it would, and what the runtime says of it.
static void make_task(uint64_t task[task_words + 2], size_t shifted, new_task *says) {
  memset(task, 0, (task_words + 2) * sizeof *task);
  uint64_t *at = task + shifted;
  at[4] = some_flags | (uint64_t)an_id << 32;
  at[7] = adapters[1];
  at[8] = a_context;
  // The priority, and fields that are not read.
  at[12] = at[19] = 0x15;
  at[23] = 1;
  *says = (new_task){
    .id = (uint64_t)3 << 32 | an_id, .flags = some_flags, .size = (task_words + shifted) * sizeof *task,
    .context = (const void *)(uintptr_t)a_context,
    .adapters = {(const void *)(uintptr_t)adapters[0], (const void *)(uintptr_t)adapters[1]},
  };
}

static bool fits(const uint64_t *task, const new_task *says) { return task_layout_fits(optrace_task_layout_of(1), task, says); }

TEST(a_new_task_with_the_known_layout_fits) {
  uint64_t task[task_words + 2];
  new_task says;
  make_task(task, 0, &says);
  EXPECT(fits(task, &says));
  // A runtime that says less. The task then resumes with something.
  says.size = 0;
  says.adapters[0] = says.adapters[1] = NULL;
  EXPECT(fits(task, &says));
  task[7] = 0;
  EXPECT(!fits(task, &says));
}

TEST(a_new_task_whose_words_are_elsewhere_does_not_fit) {
  uint64_t task[task_words + 2];
  new_task says;
  for (size_t shifted = 1; shifted <= 2; shifted++) {
    make_task(task, shifted, &says);
    EXPECT(!fits(task, &says));
  }
  // One more word behind each that is read, as a field that was added there.
  for (size_t added = 4; added <= 20; added++) {
    make_task(task, 0, &says);
    memmove(task + added + 1, task + added, (task_words - added) * sizeof *task);
    task[added] = 0x5A5A;
    EXPECT(!fits(task, &says));
  }
  make_task(task, 0, &says);
  task[20] = 0x15;  // It seems to wait.
  EXPECT(!fits(task, &says));
  make_task(task, 0, &says);
  says.size = 20 * sizeof *task;
  EXPECT(!fits(task, &says));
}

TEST(a_task_that_is_not_there_does_not_fit) {
  uint64_t task[task_words + 2];
  new_task says;
  make_task(task, 0, &says);
  EXPECT(!fits(NULL, &says));
}

// ---- Queues --------------------------------------------------------------------------------------------------------

enum { queue_words = 16 };
typedef struct {
  uint64_t one[queue_words], many[queue_words], above[queue_words];
} queues;

static void make_queues(queues *made, uint32_t width, uint32_t target) {
  static uint64_t global;
  *made = (queues){0};
  const uint16_t widths[2] = {optrace_queue_width_serial, optrace_queue_width_concurrent};
  const void *targets[2] = {&global, made->one};
  memcpy((uint8_t *)made->one + target, &targets[0], 8);
  memcpy((uint8_t *)made->many + target, &targets[0], 8);
  memcpy((uint8_t *)made->above + target, &targets[1], 8);
  memcpy((uint8_t *)made->one + width, &widths[0], 2);
  memcpy((uint8_t *)made->many + width, &widths[1], 2);
  memcpy((uint8_t *)made->above + width, &widths[0], 2);
}

static queue_layout proven(const optrace_queue_offsets *exported, const queues *made) {
  return queue_layout_prove(exported, made->one, made->many, made->above);
}

// As Swift 6.3.1 exports them.
static const optrace_queue_offsets exported = {
  .version = 6, .label = 72, .label_size = 8, .serial = 64, .serial_size = 8, .width = 80, .width_size = 2, .target = 24, .target_size = 8};

TEST(offsets_that_libdispatch_exports_are_those_of_queues) {
  queues made;
  make_queues(&made, 80, 24);
  queue_layout layout = proven(&exported, &made);
  EXPECT(layout.width == 80 && layout.target == 24);
  EXPECT(queue_width_at(made.many, layout.width) == optrace_queue_width_concurrent);
  EXPECT(queue_target_at(made.above, layout.target) == made.one);
}

TEST(without_exported_offsets_they_are_searched) {
  queues made;
  make_queues(&made, 82, 32);
  queue_layout layout = proven(NULL, &made);
  EXPECT(layout.width == 82 && layout.target == 32);
}

TEST(queues_that_are_not_as_exported_are_not_read) {
  queues made;
  make_queues(&made, 88, 32);
  queue_layout layout = proven(&exported, &made);
  EXPECT(!layout.width && !layout.target);
  make_queues(&made, 80, 24);
  // An older form, fields of another size, and ones that are outside.
  optrace_queue_offsets odd = exported;
  odd.version = 4;
  layout = proven(&odd, &made);
  EXPECT(!layout.width && !layout.target);
  odd = exported;
  odd.width_size = 4;
  odd.target = UINT16_MAX;
  layout = proven(&odd, &made);
  EXPECT(!layout.width && !layout.target);
}

#if OPTRACE_HAS_HOOKS
// ---- Work items ----------------------------------------------------------------------------------------------------

typedef struct {
  block head;
  uint32_t words[10];
} item;

static item make_item(size_t word, uint32_t flags) {
  static const block_descriptor descriptor = {.size = sizeof(item)};
  item made = {.head = {.descriptor = &descriptor}, .words = {0xD159B10C}};
  made.words[word] = flags;
  return made;
}

static size_t flags_at(size_t word, uint32_t detached) {
  item without = make_item(word, 0), barrier = make_item(word, 1), apart = make_item(word, detached);
  return block_flags_offset(&without.head, &barrier.head, &apart.head);
}

TEST(flags_of_work_items_are_found_by_what_they_were_made_with) {
  enum { head = sizeof(block) };
  EXPECT_EQUAL(flags_at(2, 2), head + 8);
  // As Swift 6.3.1 makes them.
  EXPECT_EQUAL(flags_at(2, 0xC0000002), head + 8);
  // None that differs so, and one too far behind.
  EXPECT_EQUAL(flags_at(2, 1), 0);
  EXPECT_EQUAL(flags_at(9, 2), 0);
  // Two of them.
  item without = make_item(2, 0), barrier = make_item(2, 1), detached = make_item(2, 2);
  barrier.words[3] = 1;
  detached.words[3] = 2;
  EXPECT_EQUAL(block_flags_offset(&without.head, &barrier.head, &detached.head), 0);
}
#endif

// ---- What is said --------------------------------------------------------------------------------------------------

TEST(each_part_that_is_left_out_is_said_once) {
  static const char one[] = "one", other[] = "other";
  leave_out(NULL);
  EXPECT(!optrace_layouts_left_out(0));
  leave_out(one);
  leave_out(other);
  leave_out(one);
  EXPECT(optrace_layouts_left_out(0) == one && optrace_layouts_left_out(1) == other && !optrace_layouts_left_out(2));
  EXPECT(!optrace_layouts_left_out(UINT32_MAX));
}
