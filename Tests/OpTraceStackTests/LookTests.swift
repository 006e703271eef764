import CStackTestSupport
import TestSupport
import Testing

#if os(Linux)

  /// Sleeping threads are seen with the reason, the lock's holder, and the same stacks that they took themselves.
  @Suite(.ownThread, .serialized) struct LookTests {
    @Test(arguments: 0..<test_sleep_ways()) func eachWayToSleepIsRecognised(_ way: Int32) {
      for seed in seeds(6) { expectNothing(test_sleeper(way, seed), "\(String(cString: test_sleep_way(way))) \(seed)") }
    }

    @Test func endedLockOwnersAreRecognised() { expectNothing(test_owner_ended()) }

    @Test func randomWordsGiveNoImpossibleOwner() {
      for seed in seeds(2) { expectNothing(test_locks_hostile(seed), "\(seed)") }
    }

    @Test func aThousandThreadsAreSeen() { expectNothing(test_crowd(1000)) }

    @Test func threadsThatComeAndGoAreSeenConsistently() { expectNothing(test_unrest(200)) }

    @Test func threadThatRunsBetweenPassesHasMoved() { expectNothing(test_moment()) }

    @Test func lookingThreadSeesItselfRun() { expectNothing(test_look_at_self()) }
  }

#endif
