import OpTraceKernel

/// Assigns numbers to arrows. An arrow with a number leads from the slice that names it first to the next slice that
/// names it. A slice that ends the arrow frees its number for another arrow, so that numbers stay small. An operation
/// with one arrow in and one out passes the number on.
struct PerfettoFlows {
  private let arrows: [Timeline.Arrow]
  private let executions: [Timeline.Execution]
  private var leaving: IndexesByGroup
  private var arriving: IndexesByGroup
  /// The number of each arrow. 0: it has not left yet, or it has arrived.
  private var numbers: [UInt32]
  private var free: [UInt32] = []
  private var count: UInt32 = 0

  /// The arrow ends that one slice has to declare.
  struct Ends {
    var passing: [UInt64] = []
    var ending: [UInt64] = []
    /// Whether arrows arrive that have not left yet. They have to be ended when the slice ends.
    var hasLate = false
  }

  /// Prepares the numbers. O(n + e).
  /// - Parameter taken: how many numbers other traces of the file may use.
  init(_ timeline: Timeline, taken: Int = 0) {
    count = UInt32(clamping: taken)
    arrows = timeline.arrows
    executions = timeline.executions
    numbers = [UInt32](repeating: 0, count: arrows.count)
    let groups = arrows.isEmpty ? 0 : executions.count
    leaving = IndexesByGroup(arrows.lazy.map { Int($0.from) }, groups: groups)
    arriving = IndexesByGroup(arrows.lazy.map { Int($0.to) }, groups: groups)
  }

  /// Finds the arrow ends at the begin of an execution. An arrow points from the slice that began earlier to the later
  /// one, whatever the order of its ends. If both begin at once, the order of the ends decides.
  mutating func begin(_ index: Int, _ ends: inout Ends) {
    ends.passing.removeAll(keepingCapacity: true)
    ends.ending.removeAll(keepingCapacity: true)
    ends.hasLate = false
    guard !arrows.isEmpty else { return }
    for arrow in arriving[index] {
      let number = numbers[arrow]
      if number == 0 { ends.hasLate = true } else { ends.ending.append(UInt64(number)) }
      numbers[arrow] = 0
    }
    for arrow in leaving[index] {
      let number = ends.ending.popLast() ?? UInt64(take())
      numbers[arrow] = UInt32(truncatingIfNeeded: number)
      ends.passing.append(number)
    }
    for number in ends.ending { free.append(UInt32(truncatingIfNeeded: number)) }
  }

  /// Finds the arrow ends at the end of an execution that had late arrows.
  mutating func end(_ index: Int, _ ends: inout Ends) {
    ends.ending.removeAll(keepingCapacity: true)
    for arrow in arriving[index] where numbers[arrow] != 0 {
      ends.ending.append(UInt64(numbers[arrow]))
      free.append(numbers[arrow])
      numbers[arrow] = 0
    }
  }

  private mutating func take() -> UInt32 {
    if let number = free.popLast() { return number }
    count += 1
    return count
  }
}
