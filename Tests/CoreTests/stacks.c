// Walks over stacks, compared to those of the compiler's unwinder; rules, the table of stacks, modules. The programs for them are
// those of Tests/CStackTestSupport.
#if defined(__linux__)
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/modules.h"
#include "../../Sources/COpTrace/stacks/unwind.h"
#include "CStackTestSupport.h"
#include "harness.h"
#include "recording.h"

#define FOR_SEEDS(count) for (uint64_t seed = core_test_seed() * 1000, end_ = seed + (count); seed < end_; seed++)

TEST(walks_through_functions_of_all_kinds) {
  FOR_SEEDS(300) EXPECT_NOTHING(test_walk_shapes(seed, (int)(seed % 24)));
}

TEST(walks_on_fibers) {
  SKIP_IF(is_sanitized(), "sanitizers put functions of their own below a fiber, which have no rules");
  FOR_SEEDS(20) EXPECT_NOTHING(test_walk_fiber(seed));
}

TEST(walks_through_signals) {
  FOR_SEEDS(20) EXPECT_NOTHING(test_walk_signal(seed, false));
}

TEST(walks_through_signals_on_a_stack_of_their_own) {
  FOR_SEEDS(20) EXPECT_NOTHING(test_walk_signal(seed, true));
}

static void walk_here(int which) {
  (void)which;
  EXPECT_NOTHING(test_bounds());
  EXPECT_NOTHING(test_walk_here(NULL));
  EXPECT_NOTHING(test_walk_shapes(core_test_seed(), 10));
}

TEST(walks_on_other_threads) {
  modules_refresh();
  on_threads(4, walk_here);
}
TEST(damaged_stacks_harm_nothing) { FOR_SEEDS(3) EXPECT_NOTHING(test_walk_damaged(seed, 5000)); }
TEST(bounds_of_the_main_thread) { EXPECT_NOTHING(test_bounds()); }
TEST(modules_are_known) { EXPECT_NOTHING(test_modules()); }
TEST(reads_of_memory_that_is_not_there_fail) { EXPECT_NOTHING(test_peek()); }
TEST(each_stack_has_one_number) { FOR_SEEDS(3) EXPECT_NOTHING(test_table(seed, 4)); }
TEST(a_table_that_is_full_counts) { EXPECT_NOTHING(test_table_is_full()); }
TEST(rules_that_many_threads_ask_for) { FOR_SEEDS(2) EXPECT_NOTHING(test_rules_of_threads(seed)); }
TEST(damaged_rules_harm_nothing) { FOR_SEEDS(2) EXPECT_NOTHING(test_rules_flipped(seed, 3000)); }
TEST(rules_that_end_anywhere) { EXPECT_NOTHING(test_rules_cut()); }
#endif
