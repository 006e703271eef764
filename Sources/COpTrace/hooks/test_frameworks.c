// Hooks of XCTest and Swift Testing: each test is a span, and the work that it submits is recorded as within that span.
//
// A test may continue in other tasks, on threads that also run other tests. So the span's number is a task-local value, which Swift's
// runtime passes on to the tasks that a task creates. Swift Testing does the same with `Test.current`, and our value is pushed and popped
// together with that. For XCTest the value is pushed on the thread that runs a test, and tasks inherit it from there, too.
#include "test_frameworks.h"

#include "../book/book.h"
#include "../describe/texts.h"
#include "../layouts/swift_abi.h"
#include "../objects/classes.h"
#include "../objects/readers.h"
#include "../objects/state.h"
#include "../records/within.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static optrace_recorder *tests_recorder;

// ---- Values that are local to tasks ---------------------------------------------------------------------------------

// Never freed: a task may outlive its test.
typedef struct {
  uint32_t span;           // The number of its span; 0: it is not running yet.
  _Atomic uint32_t cases;  // How many of its cases have begun.
  size_t length;
  char name[];
} test;

// A task-local value is a pointer to a test, or null. Its lowest bit says whether this push has begun the test.
enum { begins_here = 1 };

enum { index_push, index_pop };
static SWIFT void *(*local_value)(const void *key);
static const void *integer_type;
static _Alignas(16) char key[16];

typedef SWIFT void (*push)(const void *key, void *value, const void *type);
typedef SWIFT void (*pop)(void);

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return test_imports[index].real; }

static void push_value(uintptr_t value) { ((push)real(index_push))(key, &value, integer_type); }

// False: there is no value of ours on top.
static bool value_here(uintptr_t *value) {
  uintptr_t *found = local_value(key);
  if (found) *value = *found;
  return found;
}

static test *test_of(uintptr_t value) { return (test *)(value & ~(uintptr_t)begins_here); }

static uint32_t span_here(void) {
  uintptr_t value;
  test *here = value_here(&value) ? test_of(value) : NULL;
  return here ? here->span : 0;
}

size_t test_name_here(char *name) {
  uintptr_t value;
  const test *here = tests_recorder && value_here(&value) ? test_of(value) : NULL;
  if (!here) return 0;
  size_t length = here->length < longest_test_name ? here->length : longest_test_name;
  memcpy(name, here->name, length);
  return length;
}

// ---- Spans ---------------------------------------------------------------------------------------------------------

static test *make(const char *name, size_t length) {
  test *made = malloc(sizeof *made + length);
  if (!made) return NULL;
  made->span = 0;
  atomic_init(&made->cases, 0);
  made->length = length;
  memcpy(made->name, name, length);
  return made;
}

static test *begin(const char *name, size_t length) {
  test *begun = make(name, length);
  if (!begun) return NULL;
  begun->span = optrace_recorder_next_span(tests_recorder);
  optrace_emit_here(tests_recorder, optrace_kind_span_began, begun->span, (const uint8_t *)name, length);
  return begun;
}

static void end(const test *begun) { optrace_emit1(tests_recorder, optrace_kind_span_ended, begun->span); }

// Appends to a name, which is truncated if it is too long.
static size_t append(char *name, size_t length, const char *text) {
  size_t more = strlen(text);
  if (length + more > longest_test_name) return length;
  memcpy(name + length, text, more);
  return length + more;
}

static size_t append_number(char *name, size_t length, uint32_t number) {
  char digits[12], *first = digits + sizeof digits - 1;
  *first = 0;
  do *--first = (char)('0' + number % 10);
  while (number /= 10);
  return append(name, length, first);
}

// ---- Swift Testing -------------------------------------------------------------------------------------------------

// Public functions of a library whose types may change their layout, so sizes are read at run time.
typedef struct {
  const void *type;
  size_t state;
} response;
typedef SWIFT response (*type_accessor)(size_t request);
typedef SWIFT void (*getter_into)(__attribute__((swift_indirect_result)) void *result, SELF);
typedef SWIFT void (*static_getter_into)(__attribute__((swift_indirect_result)) void *result);
typedef SWIFT void *(*getter_object)(SELF);

static struct {
  static_getter_into current_test, current_case;
  getter is_suite, case_is_one_of_many;
  getter_into id;
  getter_object components;
  const void *test, *test_case, *test_id;
} testing;

static const value_witnesses *witnesses_of(const void *type) { return ((const value_witnesses *const *)type)[-1]; }

enum { largest_value = 1024 };
typedef struct {
  _Alignas(16) uint8_t bytes[largest_value];
} value_room;

// An optional is larger than its type by at most this much.
static bool fits(const void *type) { return type && witnesses_of(type)->size + 16 <= largest_value; }

static bool has_value(const value_room *room, const void *type) { return witnesses_of(type)->tag(room, 1, type) == 0; }

static void destroy(value_room *room, const void *type) { witnesses_of(type)->destroy(room, type); }

// A name that is being written, of at most `longest_test_name` bytes.
typedef struct {
  char *to;
  size_t length;
} written;

static void append_text(void *context, int64_t number, const uint8_t *text, size_t length) {
  (void)number;
  written *name = context;
  size_t count = text_prefix((const char *)text, length, longest_test_name - name->length);
  if (count) memcpy(name->to + name->length, text, count);
  name->length += count;
}

static void append_component(void *context, int64_t number, const uint8_t *text, size_t length) {
  written *name = context;
  if (name->length && name->length < longest_test_name) name->to[name->length++] = '/';
  append_text(context, number, text, length);
}

static size_t joined(void *texts, char *to) {
  written name = {.to = to};
  readers.each_text(texts, &name, append_component);
  return name.length;
}

// Writes the name of the test that runs here, as `Suite/test(_:)`. 0: no test runs here, or it is a suite.
static size_t name_of_test(char *name) {
  value_room current, id;
  size_t length = 0;
  testing.current_test(&current);
  if (!has_value(&current, testing.test)) return 0;
  if (!testing.is_suite(&current)) {
    testing.id(&id, &current);
    void *components = testing.components(&id);
    if (components) {
      length = joined(components, name);
      readers.release(components);
    }
    destroy(&id, testing.test_id);
  }
  destroy(&current, testing.test);
  return length;
}

// Whether a case of the test is running, and the test is not only being planned. A test without arguments has one case.
static bool has_case(bool *is_one_of_many) {
  value_room current;
  testing.current_case(&current);
  if (!has_value(&current, testing.test_case)) return false;
  *is_one_of_many = testing.case_is_one_of_many(&current);
  destroy(&current, testing.test_case);
  return true;
}

static bool is_named(const test *known, const char *name, size_t length) {
  return known->length == length && memcmp(known->name, name, length) == 0;
}

// Called after a push by Swift Testing, which may have made another test or another case current.
static uintptr_t value_of_push(void) {
  char name[longest_test_name];
  bool is_one_of_many = false;
  uintptr_t outer = 0;
  test *around = value_here(&outer) ? test_of(outer) : NULL;
  size_t length = name_of_test(name);
  if (!length) return 0;
  if (!has_case(&is_one_of_many)) return (uintptr_t)(around && is_named(around, name, length) ? around : make(name, length));
  if (around && around->span) return (uintptr_t)around;
  if (is_one_of_many && around) {
    uint32_t number = 1 + atomic_fetch_add_explicit(&around->cases, 1, memory_order_relaxed);
    length = append_number(name, append(name, length, " case "), number);
  }
  test *begun = begin(name, length);
  return begun ? (uintptr_t)begun | begins_here : 0;
}

static SWIFT void hook_push(const void *of, void *value, const void *type) {
  ((push)real(index_push))(of, value, type);
  push_value(value_of_push());
}

static SWIFT void hook_pop(void) {
  uintptr_t value;
  if (value_here(&value)) {
    if (value & begins_here) end(test_of(value));
    ((pop)real(index_pop))();
  }
  ((pop)real(index_pop))();
}

#define CURRENT_TEST "$s7Testing4TestV7currentACSgvgZ"

hooked_import test_imports[] = {
  [index_push] = {.name = "swift_task_localValuePush", .hook = hook_push, .within = CURRENT_TEST},
  [index_pop] = {.name = "swift_task_localValuePop", .hook = hook_pop, .within = CURRENT_TEST},
  {0},
};

static const void *type_by(void *library, const char *accessor) {
  type_accessor type = (type_accessor)dlsym(library, accessor);
  return type ? type(0).type : NULL;
}

static bool testing_prepare(void) {
  void *library = book_loaded("libTesting.so");
  if (!library) return false;
  testing.current_test = (static_getter_into)dlsym(library, CURRENT_TEST);
  testing.current_case = (static_getter_into)dlsym(library, "$s7Testing4TestV4CaseV7currentAESgvgZ");
  testing.is_suite = (getter)dlsym(library, "$s7Testing4TestV7isSuiteSbvg");
  testing.case_is_one_of_many = (getter)dlsym(library, "$s7Testing4TestV4CaseV15isParameterizedSbvg");
  testing.id = (getter_into)dlsym(library, "$s7Testing4TestV2idAC2IDVvg");
  testing.components = (getter_object)dlsym(library, "$s7Testing4TestV2IDV14nameComponentsSaySSGvg");
  testing.test = type_by(library, "$s7Testing4TestVMa");
  testing.test_case = type_by(library, "$s7Testing4TestV4CaseVMa");
  testing.test_id = type_by(library, "$s7Testing4TestV2IDVMa");
  return testing.current_test && testing.current_case && testing.is_suite && testing.case_is_one_of_many && testing.id &&
         testing.components && fits(testing.test) && fits(testing.test_case) && fits(testing.test_id);
}

// ---- XCTest --------------------------------------------------------------------------------------------------------

// A run's `start()` and `stop()` enclose a whole test, with its `setUp` and `tearDown`. They are called through the class's
// method table.
static struct {
  method start, stop;
  getter_object test;
  SWIFT struct text { uint64_t first, second; } (*name)(SELF);
  SWIFT int64_t (*failures)(SELF);
} xctest;

static size_t name_of_run(void *run, char *name) {
  void *of = xctest.test(run);
  if (!of) return 0;
  struct text text = xctest.name(of);
  readers.release(of);
  written to = {.to = name};
  readers.take_text(text.first, text.second, &to, append_text);
  size_t length = to.length;
  // XCTest's name is `OrderTests.testRefund`. Test filters use `OrderTests/testRefund`.
  for (size_t i = length; i; i--)
    if (name[i - 1] == '.') {
      name[i - 1] = '/';
      break;
    }
  return length;
}

static SWIFT void hook_start(SELF) {
  xctest.start(self);
  char name[longest_test_name];
  size_t length = name_of_run(self, name);
  test *begun = length ? begin(name, length) : NULL;
  push_value((uintptr_t)begun | begins_here);
}

static SWIFT void hook_stop(SELF) {
  uintptr_t value;
  if (value_here(&value) && value & begins_here) {
    const test *ending = test_of(value);
    ((pop)real(index_pop))();
    if (ending && xctest.failures(self)) {
      char name[longest_test_name];
      memcpy(name, ending->name, ending->length);
      size_t length = append(name, ending->length, " failed");
      optrace_emit_here(tests_recorder, optrace_kind_mark, 0, (const uint8_t *)name, length);
    }
    if (ending) end(ending);
  }
  xctest.stop(self);
}

static bool xctest_prepare(void) {
  void *library = book_loaded("libXCTest.so");
  if (!library) return false;
  xctest.start = (method)dlsym(library, "$s6XCTest0A7CaseRunC5startyyF");
  xctest.stop = (method)dlsym(library, "$s6XCTest0A7CaseRunC4stopyyF");
  xctest.test = (getter_object)dlsym(library, "$s6XCTest0A3RunC4testA2ACvg");
  *(void **)&xctest.name = dlsym(library, "$s6XCTest0A4CaseC4nameSSvg");
  *(void **)&xctest.failures = dlsym(library, "$s6XCTest0A3RunC17totalFailureCountSivg");
  void *type = dlsym(library, "$s6XCTest0A7CaseRunCN");
  if (!xctest.start || !xctest.stop || !xctest.test || !xctest.name || !xctest.failures || !type) return false;
  class_exchange methods[] = {{(void *)xctest.start, (void *)hook_start}, {(void *)xctest.stop, (void *)hook_stop}};
  return class_exchange_methods(type, methods, 2);
}

// --------------------------------------------------------------------------------------------------------------------

uint32_t tests_prepare(optrace_recorder *recorder) {
  local_value = (SWIFT void *(*)(const void *))book_find("swift_task_localValueGet");
  integer_type = book_find("$sSiN");
  if (!local_value || !integer_type || !real(index_push) || !real(index_pop)) return test_frameworks_none;
  tests_recorder = recorder;
  uint32_t found = test_frameworks_none;
  if (testing_prepare()) found |= test_frameworks_testing;
  if (xctest_prepare()) found |= test_frameworks_xctest;
  if (found) within_set_span(recorder, span_here);
  return found;
}
#endif
