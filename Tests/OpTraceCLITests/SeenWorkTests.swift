#if os(Linux)
  import Foundation
  import OpTraceModel
  import Testing

  @testable import OpTraceRunning
  @testable import optrace_cli

  /// Whether threads on a processor compute, or only wake now and then.
  @Suite("Threads that are seen on a processor while nothing moves") struct SeenWorkTests {
    private let millisecond: Nanoseconds = 1_000_000

    @Test("no thread on a processor: nobody works") func nobody() {
      var work = SeenWork()
      #expect(work.ask(about: [:]) { _ in nil } == .none)
    }

    @Test(
      "a thread that has used ten milliseconds since it was first seen works, also if it sleeps in the last snapshot")
    func computes() {
      var work = SeenWork()
      #expect(work.ask(about: [7: 5 * millisecond]) { _ in 14 * millisecond } == .unknown)
      #expect(work.ask(about: [7: 14 * millisecond]) { _ in 15 * millisecond } == .some)
      #expect(work.ask(about: [:]) { _ in 15 * millisecond } == .some)
    }

    @Test("a thread that wakes for a moment is asked about again, and in the end does not count") func wakes() {
      var work = SeenWork()
      for _ in 0..<SeenWork.mostLooks {
        #expect(work.ask(about: [7: 5 * millisecond]) { _ in 6 * millisecond } == .unknown)
      }
      #expect(work.ask(about: [7: 5 * millisecond]) { _ in 6 * millisecond } == .none)
      var other = SeenWork()
      #expect(other.ask(about: [7: 0]) { _ in 0 } == .unknown)
      #expect(other.ask(about: [:]) { _ in 0 } == .none)
    }

    @Test("a thread that has ended, or that the system does not tell of, counts as it was seen") func untold() {
      var work = SeenWork()
      #expect(work.ask(about: [7: 0]) { _ in nil } == .some)
      var later = SeenWork()
      #expect(later.ask(about: [7: 0]) { _ in 0 } == .unknown)
      #expect(later.ask(about: [:]) { _ in nil } == .none)
    }

    @Test("the system tells what the main thread has used; of no thread it tells nothing") func system() throws {
      let main = UInt32(getpid())
      let before = try #require(LiveProcess.used(by: main, of: getpid()))
      #expect(before > 0)
      #expect(try #require(LiveProcess.used(by: main, of: getpid())) >= before)
      #expect(LiveProcess.used(by: 0, of: getpid()) == nil)
    }
  }
#endif
