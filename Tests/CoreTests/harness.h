// Tests of the C core in plain C, for systems that have no Swift. Each runs in a process of its own, in an empty folder that is
// removed behind it, and may do to that process what it likes.
#ifndef CORETESTS_HARNESS_H
#define CORETESTS_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct core_test {
  const char *name;
  void (*body)(void);
  struct core_test *next;
} core_test;
void core_test_add(core_test *test);

// TEST(what_is_so) { … }
#define TEST(title)                                                                    \
  static void title(void);                                                             \
  static core_test title##_test = {#title, title, 0};                                  \
  __attribute__((constructor)) static void title##_add(void) { core_test_add(&title##_test); } \
  static void title(void)

void core_test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Goes on; the test has failed.
#define EXPECT(condition) ((condition) ? (void)0 : core_test_fail(__FILE__, __LINE__, "not so: %s", #condition))
#define EXPECT_EQUAL(a, b)                                                                                     \
  do {                                                                                                         \
    long long left_ = (long long)(a), right_ = (long long)(b);                                                 \
    if (left_ != right_) core_test_fail(__FILE__, __LINE__, "%s is %lld and not %lld (%s)", #a, left_, right_, #b); \
  } while (0)
// Null, or what is not right.
#define EXPECT_NOTHING(complaint)                                                       \
  do {                                                                                  \
    const char *complaint_ = (complaint);                                               \
    if (complaint_) core_test_fail(__FILE__, __LINE__, "%s: %s", #complaint, complaint_); \
  } while (0)
// Ends the test where it is of no use to go on.
#define REQUIRE(condition)                                                          \
  do {                                                                              \
    if (!(condition)) {                                                             \
      core_test_fail(__FILE__, __LINE__, "not so: %s", #condition);                 \
      return;                                                                       \
    }                                                                               \
  } while (0)

// Whether an emulator runs this: it says so itself nowhere, and who starts it does in the environment (CORE_TESTS_EMULATED). And
// whether a sanitizer watches it.
bool is_emulated(void);
bool is_sanitized(void);
// For what cannot be shown there: the test is told of and counted as skipped. On a real system, and compiled as usual, it runs.
#define SKIP_IF(condition, why) \
  do {                          \
    if (condition) {            \
      core_test_skip(why);      \
      return;                   \
    }                           \
  } while (0)
void core_test_skip(const char *why);

// Numbers that differ from run to run where CORE_TESTS_SEED says so; printed with a failure.
uint64_t core_test_seed(void);

#endif
