import CStackTestSupport
import Dispatch
import OptimisedShapes
import TestSupport
import Testing

#if os(Linux)

  /// Stacks of Swift programs, compared to the compiler's unwinder at the same place: every frame, and none of them guessed.
  @Suite(.ownThread, .serialized) struct SwiftWalkTests {
    private typealias Call = (UInt64, Int, @escaping @Sendable () -> Void) -> Void

    static let builds = ["debug", "optimised"]

    @Test(arguments: builds) func stacksMatchTheUnwinder(_ build: String) {
      let call: Call =
        build == "debug"
        ? { SwiftShapes.call($0, depth: $1, leaf: $2) } : { OptimisedShapes.SwiftShapes.call($0, depth: $1, leaf: $2) }
      _ = test_modules()
      let walks = Log<test_walked>()
      let wrong = Log<String>()
      for seed in seeds(300) {
        call(seed, Int(seed % 24)) {
          var walked = test_walked()
          if let complaint = test_walk_here(&walked) { wrong.add("\(seed): \(String(cString: complaint))") }
          walks.add(walked)
        }
      }
      let different = Set(walks.all.map(\.hash)).count
      let frames = walks.all.reduce(0) { $0 + $1.frames }
      print("OpTraceStackTests: \(build): \(walks.all.count) stacks, \(different) of them different, \(frames) frames")
      #expect(walks.all.count >= 300 && different >= 100)
      #expect(wrong.all == [])
    }

    @Test func tasks() async {
      _ = test_modules()
      let wrong = Log<String>()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            if number % 2 == 0 { await Task.yield() }
            var walked = test_walked()
            if let complaint = test_walk_here(&walked) { wrong.add(String(cString: complaint)) }
            if walked.frames < 3 { wrong.add("only \(walked.frames) frames") }
          }
        }
      }
      #expect(wrong.all == [])
    }
  }

#endif
