package import OpTraceModel

/// What the recorder notes of pauses, as marks in the trace.
package struct PauseMarks: Sendable {
  /// How often a thread was held.
  package private(set) var held = 0
  /// The deadlocks whose sides have all met, by their numbers in the plan.
  package private(set) var met: Set<Int> = []

  private static let held = "optrace: held "
  private static let met = "optrace: all sides of finding "

  package init() {}

  package mutating func add(_ trace: Trace) {
    for mark in trace.marks {
      if mark.name.hasPrefix(Self.held) { held += 1 }
      guard mark.name.hasPrefix(Self.met) else { continue }
      if let number = Int(mark.name.dropFirst(Self.met.count).prefix { $0.isNumber }) { met.insert(number) }
    }
  }
}
