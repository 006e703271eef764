import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceProfile

/// Times of lines are microseconds; a period is 1 ms.
@Suite struct ProfileWindowsTests {
  private static let second = 1_000_000

  /// A trace with samples of `main()` at these times, in microseconds.
  private func trace(_ times: [Int], lost: Int = 0) throws -> Trace {
    var text = SampledTrace()
    text.sampling()
    let stack = text.stack(["main()"])
    text.used(0, at: 0)
    for time in times { text.sample(time, 2, stack) }
    text.used(times.count * 1_000_000, at: (times.max() ?? 0) + 1, lost: lost)
    return TraceBuilder.build(try TraceText.parse(text.text))
  }

  private func windows(every seconds: Int = 1, from origin: Nanoseconds = 0) -> ProfileWindows {
    ProfileWindows(every: Nanoseconds(seconds) * 1_000_000_000, from: origin)
  }

  /// When a window begins in seconds, and how many samples it has.
  private func described(_ windows: [WindowProfile]) -> [String] {
    windows.map { "\($0.began / 1_000_000_000): \($0.samples)" }
  }

  @Test("a window has the samples from its begin up to, and not including, its end")
  func boundaries() throws {
    var windows = windows()
    windows.add(try trace([0, 1, Self.second - 1, Self.second, 2 * Self.second - 1, 3 * Self.second]))
    #expect(described(windows.close(until: 999_999_999)) == [])
    #expect(described(windows.close(until: 2_000_000_000)) == ["0: 3", "1: 2"])
    #expect(described(windows.closeAll(at: 3_500_000_000)) == ["3: 1"])
    #expect(windows.isEmpty)
  }

  @Test("a sample that is read after its window was closed is in the oldest open one, and in no other")
  func late() throws {
    var windows = windows()
    windows.add(try trace([100]))
    #expect(described(windows.close(until: 2_000_000_000)) == ["0: 1"])
    windows.add(try trace([200, Self.second + 5, 4 * Self.second]))
    #expect(described(windows.close(until: 5_000_000_000)) == ["2: 2", "4: 1"])
  }

  @Test("whatever comes when, each sample is in exactly one window")
  func random() throws {
    var random = SeededGenerator(7)
    var windows = windows(from: 500_000_000)
    var (added, closed, now) = (0, 0, Nanoseconds(0))
    for _ in 0..<60 {
      // Some of them are up to ten seconds late.
      let times = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        max(0, Int(now) / 1000 - Int.random(in: 0...10_000_000, using: &random))
      }
      windows.add(try trace(times))
      added += times.count
      now += .random(in: 0...3_000_000_000, using: &random)
      let windows = windows.close(until: now)
      closed += windows.reduce(0) { $0 + $1.samples }
      for window in windows {
        #expect(window.ended <= now && (window.began - 500_000_000) % 1_000_000_000 == 0)
        #expect(window.sums.reduce(0) { $0 + $1.samples } == window.samples)
      }
    }
    closed += windows.closeAll(at: now).reduce(0) { $0 + $1.samples }
    #expect(added > 300 && closed == added)
  }

  @Test("the last window ends when the program does")
  func last() throws {
    var windows = windows(every: 60)
    windows.add(try trace([5 * Self.second]))
    let window = try #require(windows.closeAll(at: 7_000_000_000).first)
    #expect(window.began == 0 && window.ended == 7_000_000_000)
  }

  @Test("lost samples are counted once")
  func lost() throws {
    var windows = windows()
    windows.add(try trace([100], lost: 3))
    windows.add(try trace([200, Self.second], lost: 3))
    windows.add(try trace([2 * Self.second], lost: 10))
    #expect(windows.closeAll(at: .max).map(\.lost) == [3, 0, 7])
  }

  @Test("samples with the same stack and purpose are one sum")
  func sums() throws {
    var windows = windows()
    windows.add(try trace([100, 200]))
    windows.add(try trace([300]))
    let window = try #require(windows.closeAll(at: .max).first)
    #expect(window.sums.count == 1)
    #expect(window.sums.first?.samples == 3 && window.sums.first?.weight == 3_000_000)
    #expect(window.tables.functions.map(\.name) == ["main()"])
  }

  @Test("hostile and damaged times end in some window")
  func extremes() throws {
    var windows = ProfileWindows(every: .max, from: .min)
    windows.add(try trace([0, 1]))
    #expect(windows.closeAll(at: .max).reduce(0) { $0 + $1.samples } == 2)
    var others = ProfileWindows(every: 0, from: .max)
    others.add(try trace([0, 1]))
    #expect(others.closeAll(at: 0).reduce(0) { $0 + $1.samples } == 2)
  }
}
