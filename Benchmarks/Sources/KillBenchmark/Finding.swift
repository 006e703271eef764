import Foundation
import OpTraceModel

/// What a trace holds, beside what the process had counted.
struct Finding {
  var processes = 0
  var events = 0
  /// Marks and operations that were over when the process ended.
  var witnessed = 0
  /// Those of them that the trace does not have.
  var missing = 0
  /// Parts that could not be read.
  var torn = 0
  /// Records that the recorder counted as lost.
  var lost: UInt64 = 0
  /// Rules of the format and of the operations' states that are broken.
  var violations = 0
  var problems: [String] = []

  var isGood: Bool { problems.isEmpty && missing == 0 && torn == 0 && lost == 0 && violations == 0 }

  init() {}

  /// A ring has replaced what is old: of one that is full the last must be there, and all that was done after `old` was counted.
  init(of events: TraceEvents, at path: String, witness: Witness, isRing: Bool, since old: Counts?) {
    processes = 1
    self.events = events.count
    let broken = TraceValidator.check(events)
    violations = broken.count
    problems += broken.map { "\($0)" }
    let trace = TraceBuilder.build(events)
    torn = trace.loss.damage.count
    lost = trace.loss.lostCount
    problems += trace.loss.damage.map { "byte \($0.offset): \($0.reason)" }
    if trace.header.isClosed { problems.append("the trace is closed, and nobody closed it") }

    var marks = [[Int]](repeating: [], count: Witness.threadCount)
    for mark in trace.marks { note(mark.name, in: &marks) }
    var finished = [[Int]](repeating: [], count: Witness.threadCount)
    let isCut = trace.loss.overwrittenBytes > 0
    for operation in trace.operations where operation.finished != nil {
      // The name was replaced, and the end was not.
      if isCut, operation.name == nil { continue }
      note(operation.name ?? "", in: &finished)
    }
    for thread in 0..<Witness.threadCount {
      let (marked, ended) = (marks[thread], finished[thread].sorted())
      let names = ("marks of thread \(thread)", "operations of thread \(thread)")
      if isRing, isCut {
        compareNewest(marked, old?.marks[thread], witness.marks(thread), names.0)
        compareNewest(ended, old?.operations[thread], witness.operations(thread), names.1)
      } else {
        compare(marked, witness.marks(thread), names.0)
        compare(ended, witness.operations(thread), names.1)
      }
    }
    if old != nil, !isCut { problems.append("the ring was not full") }
  }

  /// What was written after `old` are the numbers behind it, in order; where nobody counted, the last one.
  private mutating func compareNewest(_ found: [Int], _ old: Int?, _ counted: Int, _ what: String) {
    let first = old.map { $0 + 1 } ?? counted
    guard first <= counted, counted > 0 else { return }
    witnessed += counted - first + 1
    let newest = found.filter { $0 >= first }
    missing += max(0, counted - first + 1 - newest.count)
    if newest != Array(first..<first + newest.count) || newest.count > counted - first + 2 {
      problems.append(
        "\(what): \(first) to \(counted) counted, found \(newest.count), \(newest.prefix(3)) to \(newest.suffix(3))")
    }
  }

  /// `2 17` is the seventeenth of the third thread.
  private mutating func note(_ name: String, in lists: inout [[Int]]) {
    let numbers = name.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2, lists.indices.contains(numbers[0]) else {
      problems.append("'\(name)' is nobody's")
      return
    }
    lists[numbers[0]].append(numbers[1])
  }

  /// What was written are the numbers from 1 on, in order. One more may be there: it was not yet counted.
  private mutating func compare(_ found: [Int], _ counted: Int, _ what: String) {
    witnessed += counted
    missing += max(0, counted - found.count)
    if found != Array(1..<found.count + 1) || found.count > counted + 1 {
      problems.append("\(what): counted \(counted), found \(found.count), the last of them \(found.suffix(3))")
    }
  }

  mutating func add(_ other: Finding) {
    processes += other.processes
    events += other.events
    witnessed += other.witnessed
    missing += other.missing
    torn += other.torn
    lost += other.lost
    violations += other.violations
    problems += other.problems
  }

  func line(_ name: String) -> String {
    let numbers = [
      (processes, 9), (events, 12), (witnessed, 11), (missing, 9), (torn, 6), (Int(lost), 6), (violations, 12),
    ]
    return name.padding(toLength: 8, withPad: " ", startingAt: 0)
      + numbers.map { " " + String($0).leftPadded($1 + 1) }.joined()
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
