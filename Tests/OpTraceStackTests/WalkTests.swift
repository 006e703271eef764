import CStackTestSupport
import Dispatch
import Foundation
import TestSupport
import Testing

#if os(Linux)

  /// Walks are compared to those of the compiler's unwinder, frame by frame.
  @Suite(.ownThread, .serialized) struct WalkTests {
    @Test func walksMatchForFunctionsOfAllKinds() {
      for seed in seeds(300) { expectNothing(test_walk_shapes(seed, Int32(seed % 24)), "\(seed)") }
    }

    @Test func walksMatchInFibersAndSignalHandlers() {
      for seed in seeds(20) {
        expectNothing(test_walk_fiber(seed), "fiber \(seed)")
        expectNothing(test_walk_signal(seed, false), "signal \(seed)")
        expectNothing(test_walk_signal(seed, true), "signal on another stack \(seed)")
      }
    }

    @Test func walksMatchInFoundationAndDispatch() {
      let seen = Log<String>()
      @Sendable func walk(_ place: String) {
        var walked = test_walked()
        if let complaint = test_walk_here(&walked) { seen.add("\(place): \(String(cString: complaint))") }
        if walked.frames < 5 { seen.add("\(place): only \(walked.frames) frames") }
      }
      _ = test_modules()
      let operations = OperationQueue()
      operations.addOperation { walk("block of an operation") }
      operations.waitUntilAllOperationsAreFinished()
      let queue = DispatchQueue(label: "stacks")
      queue.sync { walk("sync") }
      queue.async { walk("async") }
      queue.sync(flags: .barrier) { walk("barrier") }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in walk("perform") }
      let thread = Thread { walk("thread") }
      let gate = DispatchSemaphore(value: 0)
      let ended = Thread {
        walk("another thread")
        gate.signal()
      }
      thread.start()
      ended.start()
      gate.wait()
      _ = [3, 1, 2].sorted {
        walk("sorted")
        return $0 < $1
      }
      #expect(seen.all == [])
    }

    @Test func damagedStacksHarmNothing() {
      for seed in seeds(3) { expectNothing(test_walk_damaged(seed, 20_000), "\(seed)") }
    }

    /// A library keeps its number when it is loaded again; another one at the same address has its own.
    @Test func reloadedLibrariesKeepTheirNumbers() throws {
      let path = String(cString: try #require(test_library_path("libz.so.1")))
      let folder = try Scratch()
      defer { withExtendedLifetime(folder) {} }
      let copies = ["one.so", "two.so"].map { folder.path($0) }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      for copy in copies { try bytes.write(to: URL(fileURLWithPath: copy)) }
      var numbers: [String: Set<String>] = [:]
      for copy in copies + copies + copies {
        var number: UInt32 = 0
        var base: UInt64 = 0
        expectNothing(test_walk_library(copy, &number, &base), copy)
        numbers[copy, default: []].insert("\(number) at \(base)")
      }
      for one in copies {
        let own = numbers[one] ?? []
        #expect(Set(own.map { $0.split(separator: " ").last }).count == own.count, "one number for each place: \(own)")
      }
      #expect(numbers[copies[0]]?.isDisjoint(with: numbers[copies[1]] ?? []) == true, "\(numbers)")
    }

    @Test func stackBoundsAndModulesAreKnown() {
      expectNothing(test_bounds())
      expectNothing(test_modules())
      expectNothing(test_peek())
    }
  }

#endif
