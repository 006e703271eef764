import CStackTestSupport
import TestSupport
import Testing

#if os(Linux)

  /// Tables that many threads share.
  @Suite(.ownThread) struct TableTests {
    @Test func everyStackHasOneNumber() {
      for seed in seeds(3) { expectNothing(test_table(seed, 4), "\(seed)") }
    }

    @Test func fullTablesCountLostStacks() { expectNothing(test_table_is_full()) }

    @Test func manyThreadsGetTheSameRules() {
      for seed in seeds(2) { expectNothing(test_rules_of_threads(seed), "\(seed)") }
    }
  }

  @Suite(.ownThread) struct RuleTests {
    @Test func damagedRulesHarmNothing() {
      for seed in seeds(2) { expectNothing(test_rules_flipped(seed, 10_000), "\(seed)") }
    }

    @Test func truncatedRulesHarmNothing() { expectNothing(test_rules_cut()) }
  }

#endif
