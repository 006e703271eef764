import CStackTestSupport
import TestSupport
import Testing

#if os(Linux)

  /// What many threads share.
  @Suite(.ownThread) struct TableTests {
    @Test func everyStackHasOneNumber() {
      for seed in seeds(3) { expectNothing(test_table(seed, 4), "\(seed)") }
    }

    @Test func fullTablesCount() { expectNothing(test_table_is_full()) }

    @Test func rulesOfManyThreads() {
      for seed in seeds(2) { expectNothing(test_rules_of_threads(seed), "\(seed)") }
    }
  }

  @Suite(.ownThread) struct RuleTests {
    @Test func damagedRulesHarmNothing() {
      for seed in seeds(2) { expectNothing(test_rules_flipped(seed, 10_000), "\(seed)") }
    }

    @Test func rulesThatEndAnywhere() { expectNothing(test_rules_cut()) }
  }

#endif
