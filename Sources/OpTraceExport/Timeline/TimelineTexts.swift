import OpTraceAnalysis
import OpTraceModel

/// What viewers filter slices and instants by.
enum TimelineCategory: Int, CaseIterable {
  case operation, wait, block, span, threadWait, loss, finding, mark, start

  var text: StaticString {
    switch self {
    case .operation: "operation"
    case .wait: "wait"
    case .block: "block"
    case .span: "span"
    case .threadWait: "thread wait"
    case .loss: "loss"
    case .finding: "finding"
    case .mark: "mark"
    case .start: "start"
    }
  }
}

/// The words that stand in the picture.
extension TimelineContent {
  func groupName(_ index: Int) -> String {
    let group = timeline.groups[index]
    if index > 0 { return group.queue.map(titles.phrase) ?? group.name }
    return trace.header.processID > 0 ? "\(group.name) (pid \(trace.header.processID))" : group.name
  }

  /// As `shownName`, without a copy of the record.
  func name(ofOperation index: Timeline.OperationIndex) -> String {
    trace.operations.withUnsafeBufferPointer { operations in
      if let name = operations[Int(index)].name, !name.isEmpty { return name }
      return operations[Int(index)].function?.shortName ?? operations[Int(index)].className
    }
  }

  func describe(_ detail: Timeline.Detail) -> (category: TimelineCategory, name: String) {
    switch detail.kind {
    case .start(let operation): (.start, "\(name(ofOperation: operation)) · start()")
    case .block(let operation, let block):
      (.block, "\(name(ofOperation: operation)) · block \(Int(block.index) + 1)")
    case .span(let index): (.span, trace.spans[index].name)
    case .wait(let index): (.threadWait, "waits for " + timeline.name(of: trace.waits[index].target, in: trace))
    case .gap(let index): (.loss, "\(trace.loss.gaps[index].count) records lost")
    }
  }
}

extension Timeline {
  /// What somebody waits for. O(log n).
  func name(of target: WaitRecord.Target, in trace: Trace) -> String {
    switch target {
    case .operation(let id): "operation " + (trace.operation(id)?.shownName ?? id.description)
    case .queue(let id): trace.queue(id)?.phrase ?? id.description
    case .object(let id): trace.object(id)?.title ?? id.description
    }
  }
}

extension CounterValues.Kind {
  /// Viewers show the name and the unit together: "executing operations".
  var name: StaticString {
    switch self {
    case .executing: "executing"
    case .ready: "ready"
    case .limit: "limit"
    }
  }

  var unit: StaticString { self == .limit ? "slots" : "operations" }
}

extension OperationRecord {
  /// Never empty, if the class has a name: viewers show "[No name]" instead.
  var shownName: String { title.isEmpty ? className : title }
}

/// `2026-01-02T03:04:05.678901234Z`: no Foundation, no locale. The calendar is the proleptic Gregorian one, reckoned in
/// eras of 400 years that begin on 1 March, so that the leap day comes last.
func utcText(_ nanosecondsSince1970: UInt64) -> String {
  let (seconds, fraction) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
  let (days, second) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
  let sinceEra = days + 719_468
  let (era, dayOfEra) = sinceEra.quotientAndRemainder(dividingBy: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
  return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(second / 3600, 2)):"
    + "\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)).\(padded(Int(fraction), 9))Z"
}
