import CStackTestSupport
import TestSupport
import Testing

#if os(Linux)

  /// Threads that sleep are found with what they sleep in, whose lock it is, and their stacks as they took them themselves.
  @Suite(.ownThread, .serialized) struct LookTests {
    @Test(arguments: 0..<test_sleep_ways()) func eachWayToSleep(_ way: Int32) {
      for seed in seeds(6) { expectNothing(test_sleeper(way, seed), "\(String(cString: test_sleep_way(way))) \(seed)") }
    }

    @Test func ownersThatHaveEnded() { expectNothing(test_owner_ended()) }

    @Test func wordsThatAreNoLocks() {
      for seed in seeds(2) { expectNothing(test_locks_hostile(seed), "\(seed)") }
    }

    @Test func aThousandThreads() { expectNothing(test_crowd(1000)) }

    @Test func threadsThatComeAndGo() { expectNothing(test_unrest(200)) }

    @Test func whoRunsBetweenThePassesHasMoved() { expectNothing(test_moment()) }

    @Test func whoLooks() { expectNothing(test_look_at_self()) }
  }

#endif
