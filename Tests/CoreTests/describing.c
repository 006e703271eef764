// The description of operations and queues: in a program that has none, where nothing is proven, so nothing is read; and of objects that
// this test makes up, with readers of its own, which is what every process has in common.
#include <stdlib.h>
#include <string.h>

#include "../../Sources/COpTrace/describe/layout.h"
#include "../../Sources/COpTrace/objects/readers.h"
#include "COpTraceBegin.h"
#include "COpTraceFields.h"
#include "COpTraceLayouts.h"
#include "harness.h"
#include "reader.h"

#if defined(__linux__)
static void no_text(void *context, int64_t number, const uint8_t *text, size_t length) {
  *(bool *)context = !number && !text && !length;
}

TEST(without_swift_nothing_is_described) {
  EXPECT(layout_prepare() && layout_prepare());
  EXPECT(!optrace_layouts_left_out(0) && !optrace_layouts_left_out(UINT32_MAX));
  layout_begin();
#if defined(__clang__)
  // None of the classes is ours, and none was compiled against a Foundation; nothing tells their names.
  EXPECT(!readers.traced_operation && !readers.compiled_operation && !readers.records_itself && !readers.own && !readers.name_class);
  // A short text, and one that says it is at an address where nothing is: neither is read.
  bool is_none = false;
  readers.take_text(0x636261, 0xE300000000000000, &is_none, no_text);
  EXPECT(is_none);
  is_none = false;
  readers.take_text(20, 0x8000000000000010, &is_none, no_text);
  EXPECT(is_none && !readers.make_operation() && !readers.weak_make);
#endif
}
#endif

// ---- Objects of this test ------------------------------------------------------------------------------------------

enum { most_dependencies = 4 };
typedef struct thing {
  const void *class;
  optrace_operation *own;  // Null: its class is not ours.
  uint64_t words[optrace_operation_words];
  const char *name;
  bool is_finished, is_cancelled;
  struct thing *dependencies[most_dependencies];
  size_t count;
  uint32_t asked;  // What was asked of it, all together.
  int references;
} thing;

static const char our_class[] = "Ours", other_class[] = "Other";

static thing make(bool is_ours) {
  return (thing){.class = is_ours ? our_class : other_class, .references = 1};
}

// Where it stays.
static void settle(thing *one) {
  if (one->class == our_class) one->own = optrace_operation_init_in(one->words);
}

static void depends(thing *one, thing *on) {
  one->dependencies[one->count++] = on;
  optrace_operation_claim(one->own, optrace_bit_has_dependencies);
}

static void name_class(const void *class, void *context, optrace_take_class take) { take(context, class, strlen(class), "Test", 4); }
static uint32_t class_facts(optrace_recorder *core, const void *class) {
  (void)core;
  return class == our_class ? optrace_class_is_ours : optrace_class_answers_itself;
}
static optrace_operation *own(void *operation) { return ((const thing *)operation)->own; }
static void ask(optrace_recorder *core, void *operation, uint32_t which, void *context, optrace_take_answers take) {
  (void)core;
  thing *one = operation;
  one->asked |= which;
  optrace_answers answers = {.is_finished = which & optrace_ask_states && one->is_finished,
                             .is_cancelled = which & optrace_ask_cancelled && one->is_cancelled};
  if (which & optrace_ask_name && one->name) {
    answers.has_name = true;
    answers.name = (const uint8_t *)one->name;
    answers.name_length = strlen(one->name);
  }
  take(context, &answers);
}
static void dependencies(void *operation, void *context, void (*take)(void *context, void *dependency)) {
  const thing *one = operation;
  for (size_t i = 0; i < one->count; i++) take(context, one->dependencies[i]);
}
static void ask_queue(void *queue, void *context, optrace_take_queue take) {
  (void)queue;
  take(context, &(optrace_queue_answers){.limit = 2, .name = (const uint8_t *)"work", .name_length = 4});
}
static void retain(void *object) { ((thing *)object)->references += 1; }
static void release(void *object) { ((thing *)object)->references -= 1; }
static void *weak_make(void *object) { return object; }
static void *weak_take(void *reference) {
  retain(reference);
  return reference;
}
static void weak_free(void *reference) { (void)reference; }
static bool uses_hooks(optrace_recorder *core) {
  optrace_recorder_set_hooks(core, optrace_hooks_unavailable);
  return false;
}
static optrace_recorder *current;
static optrace_recorder *fallback(void) { return current; }

static thing queue;
static optrace_operation *queue_entry;

static void begin(void) {
  optrace_describe_by(&(optrace_readers){
    .name_class = name_class, .class_facts = class_facts, .own = own, .ask = ask, .dependencies = dependencies, .ask_queue = ask_queue,
    .retain = retain, .release = release, .weak_make = weak_make, .weak_take = weak_take, .weak_free = weak_free,
    .uses_hooks = uses_hooks, .fallback = fallback,
  });
  optrace_recording begun = optrace_recording_begin("run.optrace", &(optrace_wishes){0});
  current = begun.recorder;
  free(begun.path);
  queue_entry = optrace_operation_create();
}

static uint32_t add(thing *one) { return optrace_add(current, one, NULL, NULL, &queue, queue_entry).serial; }

static trace end(void) {
  EXPECT_EQUAL(optrace_recorder_stop(current), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  return t;
}

static const record *find(const trace *t, uint8_t kind, uint32_t subject) {
  for (size_t i = 0; i < t->count; i++)
    if (t->records[i].kind == kind && (!subject || t->records[i].subject == subject)) return &t->records[i];
  return NULL;
}

// ---- Operations ----------------------------------------------------------------------------------------------------

TEST(an_operation_is_described_by_the_record_that_adds_it) {
  begin();
  REQUIRE(current);
  thing first = make(true), second = make(true), apart = make(true);
  settle(&first);
  settle(&second);
  settle(&apart);
  depends(&second, &first);
  depends(&apart, &first);
  depends(&apart, &second);
  uint32_t serial = add(&first);
  EXPECT_EQUAL(add(&second), serial + 1);
  EXPECT_EQUAL(add(&apart), serial + 2);
  // It was not used, so it knows its states itself.
  EXPECT(!(first.asked & (optrace_ask_states | optrace_ask_cancelled)) && (first.asked & optrace_ask_location));
  // A second time it is only added.
  EXPECT_EQUAL(add(&first), serial);
  trace t = end();
  EXPECT_EQUAL(trace_count(&t, optrace_kind_queue_created), 1);
  const record *added = find(&t, optrace_kind_added, serial), *behind = find(&t, optrace_kind_added_behind_last, serial + 1);
  EXPECT(added && behind && find(&t, optrace_kind_enqueued, serial) && !find(&t, optrace_kind_operation_created, serial));
  // Two dependencies do not fit into the record.
  EXPECT(find(&t, optrace_kind_operation_created, serial + 2) && find(&t, optrace_kind_enqueued, serial + 2));
  EXPECT(find(&t, optrace_kind_depends_on_last, serial + 2) && find(&t, optrace_kind_dependency_added, serial + 2));
  EXPECT(first.references == 1 && second.references == 1 && apart.references == 1);
  trace_free(&t);
}

TEST(an_operation_that_is_over_is_described_in_part) {
  begin();
  REQUIRE(current);
  thing over = make(true);
  settle(&over);
  over.is_finished = over.is_cancelled = true;
  over.name = "over";
  optrace_operation_claim(over.own, optrace_bit_used);
  uint32_t serial = optrace_introduce(current, &over, optrace_sight_started);
  EXPECT_EQUAL(optrace_introduce(current, &over, optrace_sight_running), serial);
  EXPECT(optrace_operation_has(over.own, optrace_bit_finish_recorded) && optrace_operation_has(over.own, optrace_bit_finish_written));
  trace t = end();
  const record *created = find(&t, optrace_kind_operation_created, serial), *named = find(&t, optrace_kind_operation_named, serial);
  REQUIRE(created && named);
  EXPECT_EQUAL(optrace_operation_created_read(created->word[0]).coverage, 1);
  EXPECT(named->length == 4 && memcmp(named->text, "over", 4) == 0);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_operation_created), 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_cancel_requested), 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_finished), 1);
  trace_free(&t);
}

TEST(an_operation_that_cannot_be_followed_has_one_number) {
  begin();
  REQUIRE(current);
  thing one = make(false), on = make(false);
  settle(&one);
  settle(&on);
  depends(&one, &on);
  uint32_t serial = add(&one), number = optrace_introduce(current, &on, optrace_sight_named);
  EXPECT(serial && number && number != serial);
  EXPECT_EQUAL(add(&one), serial);
  trace t = end();
  const record *created = find(&t, optrace_kind_operation_created, serial), *named = find(&t, optrace_kind_operation_created, number);
  REQUIRE(created && named);
  EXPECT_EQUAL(optrace_operation_created_read(created->word[0]).coverage, 1);
  EXPECT_EQUAL(optrace_operation_created_read(named->word[0]).coverage, 2);
  const record *depends_on = find(&t, optrace_kind_dependency_added, serial);
  REQUIRE(depends_on);
  EXPECT_EQUAL(optrace_dependency_added_read(depends_on->word[0]).on, number);
  EXPECT(one.references == 1 && on.references == 1);
  trace_free(&t);
}

TEST(an_operation_is_described_at_its_release_only_if_a_dependency_goes_on) {
  begin();
  REQUIRE(current);
  thing open = make(true), over = make(true), first = make(true), second = make(true);
  settle(&open);
  settle(&over);
  settle(&first);
  settle(&second);
  uint32_t goes_on = add(&open), ended = add(&over);
  optrace_operation_claim(over.own, optrace_bit_finish_recorded);
  optrace_released_unmet(&first, first.own, NULL, 0, (void *[]){&over}, 1);
  EXPECT(!optrace_operation_owner(first.own));
  optrace_released_unmet(&second, second.own, (const uint8_t *)"late", 4, (void *[]){&over, &open}, 2);
  uint32_t serial = optrace_operation_serial(second.own);
  EXPECT(serial && !(second.asked & ~(uint32_t)optrace_ask_location));
  trace t = end();
  EXPECT(find(&t, optrace_kind_operation_created, serial) && find(&t, optrace_kind_operation_named, serial));
  EXPECT_EQUAL(trace_count(&t, optrace_kind_dependency_added), 2);
  EXPECT(goes_on && ended);
  trace_free(&t);
}

// ---- Blocks --------------------------------------------------------------------------------------------------------

TEST(a_barrier_that_never_ran_was_cancelled) {
  begin();
  REQUIRE(current);
  optrace_operation *ran = optrace_operation_create(), *dropped = optrace_operation_create();
  uint32_t first = optrace_barrier_add(current, ran, 0, &queue, queue_entry);
  uint32_t second = optrace_barrier_add(current, dropped, 0, &queue, queue_entry);
  REQUIRE(first && second);
  optrace_barrier_begins(ran);
  optrace_barrier_ends(ran);
  optrace_barrier_is_released(ran, true);
  optrace_barrier_is_released(dropped, false);
  trace t = end();
  EXPECT(find(&t, optrace_kind_released, first) && !find(&t, optrace_kind_cancel_requested, first));
  EXPECT(find(&t, optrace_kind_cancel_requested, second) && find(&t, optrace_kind_finished, second) && find(&t, optrace_kind_released, second));
  const record *enqueued = find(&t, optrace_kind_enqueued, first);
  EXPECT(enqueued && optrace_enqueued_read(enqueued->word[0]).barrier);
  trace_free(&t);
  optrace_operation_destroy(ran);
  optrace_operation_destroy(dropped);
}
