import TestSupport
import Testing

@testable import OpTraceModel

@Suite struct NumberRangesTests {
  @Test(arguments: UInt64(1)...10) func containsWhatWasInserted(_ seed: UInt64) {
    var generator = SeededGenerator(seed)
    var ranges = NumberRanges()
    var numbers: Set<UInt32> = []
    for _ in 0..<50 {
      let new = (0..<Int.random(in: 0...20, using: &generator)).map { _ in UInt32.random(in: 0...300, using: &generator)
      }
      ranges.insert(new)
      numbers.formUnion(new)
    }
    for number in UInt32(0)...310 { #expect(ranges.contains(number) == numbers.contains(number)) }
    let borders = numbers.filter { !numbers.contains($0 &+ 1) }
    #expect(ranges.rangeCount == borders.count)
  }

  @Test func dense() {
    var ranges = NumberRanges()
    #expect(ranges.isEmpty)
    ranges.insert([.max, .max - 1, 0])
    ranges.insert(Array(1...1000).shuffled())
    #expect(ranges.rangeCount == 2)
    #expect(ranges.contains(.max) && ranges.contains(1000) && !ranges.contains(1001))
  }
}
