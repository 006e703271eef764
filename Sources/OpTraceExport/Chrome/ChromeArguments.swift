import OpTraceAnalysis
import OpTraceModel

/// The arguments of events: what a viewer shows of the slice that one clicks. Times are in microseconds.
extension ChromeEvents {
  /// Leaves the braces open.
  func operationArguments(
    _ operations: UnsafeBufferPointer<OperationRecord>, _ index: Int, _ execution: Timeline.Execution
  ) {
    writer.text(",\"args\":{\"operation\":")
    writer.number(Int(operations[index].id.rawValue))
    // What the slice's name, or the lack of a word, says already is left out: it is there a million times.
    if operations[index].name != nil {
      writer.text(",\"class\":")
      writer.json(operations[index].className)
    }
    if let queue = operations[index].queue, let group = timeline.groupOfQueue[queue] {
      writer.text(",\"queue\":")
      writer.json(timeline.groups[group].name)
    }
    if operations[index].state != .finished {
      writer.text(",\"state\":\"")
      writer.text(operations[index].state.word)
      writer.byte(UInt8(ascii: "\""))
    }
    let times =
      timeline.counts.leavesOutTimes ? OperationTimes() : OperationTimes(of: operations[index], traceEnd: trace.end)
    if times.waitingForDependencies > 0 {
      writer.text(",\"dependency wait (us)\":")
      writer.thousandths(times.waitingForDependencies)
    }
    if times.waitingForSlot > 0 {
      writer.text(",\"slot wait (us)\":")
      writer.thousandths(times.waitingForSlot)
    }
    if operations[index].leavesThread, let began = operations[index].executionBegan ?? operations[index].started {
      writer.text(",\"started on\":")
      writer.json(trace.thread(began.thread)?.timelineName ?? began.thread.description)
    }
    if let cancel = operations[index].cancelRequested {
      writer.text(",\"cancel requested at (us)\":")
      writer.thousandths(cancel.time - timeline.origin)
    }
    if let error = operations[index].error {
      writer.text(",\"error\":")
      writer.json(error)
    }
    if operations[index].isBarrier { writer.text(",\"barrier\":true") }
    if operations[index].priority != 0 {
      writer.text(",\"priority\":")
      writer.number(Int(operations[index].priority))
    }
    if let source = operations[index].source {
      writer.text(",\"source\":")
      writer.json(source)
    }
  }

  /// Leaves the braces open.
  func waitArguments(_ operations: UnsafeBufferPointer<OperationRecord>, _ index: Int, _ wait: Timeline.Wait) {
    writer.text(",\"args\":{\"operation\":")
    writer.number(Int(operations[index].id.rawValue))
    // The track says so of a slot.
    guard wait.kind == .dependencies else { return }
    writer.text(",\"waits for\":\"")
    var shown = 0
    var others = 0
    for dependency in operations[index].dependencies {
      if let removed = dependency.removed, removed <= wait.begin { continue }
      guard let other = trace.index(of: dependency.on) else { continue }
      if let finished = operations[other].finished, finished.time <= wait.begin { continue }
      guard shown < 8 else {
        others += 1
        continue
      }
      if shown > 0 { writer.text(", ") }
      writer.jsonPart(operations[other].shownName)
      shown += 1
    }
    if others > 0 { writer.string(" and \(others) more") }
    if shown == 0 { writer.text("dependencies") }
    writer.byte(UInt8(ascii: "\""))
  }

  /// Of a wait on a semaphore and the like: which one it is, and who let others go on. Inside of braces.
  func objectArguments(_ wait: WaitRecord) {
    guard case .object(let id) = wait.target, let object = trace.object(id) else { return }
    writer.text(",\"object\":\"0x")
    writer.string(String(object.address, radix: 16))
    writer.byte(UInt8(ascii: "\""))
    if let signal = wait.endSignal {
      writer.text(",\"ended by\":")
      signaller(signal)
      writer.text(",\"ended by a signal at (us)\":")
      writer.thousandths(signal.time - timeline.origin)
    }
    if let signal = wait.lastSignal {
      writer.text(",\"last signalled by\":")
      signaller(signal)
      writer.text(",\"last signalled at (us)\":")
      writer.thousandths(signal.time - timeline.origin)
    }
  }

  /// The operation, else the thread.
  private func signaller(_ signal: WaitRecord.Signal) {
    if let id = signal.operation {
      writer.json(trace.operation(id).map { "\($0.shownName) \(id)" } ?? id.description)
    } else if let thread = signal.thread {
      writer.json(trace.thread(thread)?.timelineName ?? thread.description)
    } else {
      writer.text("null")
    }
  }

  func findingArguments(_ finding: Finding) {
    writer.text(",\"args\":{\"code\":")
    writer.json(finding.code)
    writer.text(",\"severity\":\"")
    writer.string(finding.severity.rawValue)
    writer.text("\",\"proven\":")
    writer.text(finding.isProven ? "true" : "false")
    writer.text(",\"operations\":\"")
    writer.string(finding.operations.map(\.description).joined(separator: ", "))
    writer.text("\",\"explanation\":")
    writer.json(finding.explanation)
    writer.text(",\"fix\":")
    writer.json(finding.fix)
    writer.text("}")
  }

  /// `thinned`: changes of counters that are not written.
  func startArguments(thinned: Int) {
    writer.text(",\"args\":{\"wall clock (ns since 1970)\":\"")
    // As a string: a viewer's double would round it.
    writer.number(UInt(trace.header.startWall))
    writer.text("\",\"start (UTC)\":\"")
    writer.string(utcText(trace.header.startWall))
    writer.text("\",\"process\":")
    writer.json(trace.header.processName)
    writer.text(",\"written by\":")
    writer.json("OpTrace " + trace.header.writerVersion)
    writer.text(",\"closed\":")
    writer.text(trace.header.isClosed ? "true" : "false")
    writer.text(",\"records lost\":")
    writer.number(UInt(trace.loss.lostCount))
    writer.text(",\"damaged places\":")
    writer.number(trace.loss.damage.count)
    writer.text(",\"bytes overwritten by newer records\":")
    writer.number(UInt(trace.loss.overwrittenBytes))
    let withoutLane = timeline.counts.waitsWithoutLane
    if withoutLane > 0 {
      writer.text(",\"waits without a lane\":")
      writer.number(withoutLane)
    }
    if timeline.counts.leavesOutTimes { writer.text(",\"waiting times\":\"left out, as there are so many\"") }
    if timeline.counts.hidden > 0 {
      writer.text(",\"slices left out, as asked for\":")
      writer.number(timeline.counts.hidden)
    }
    if thinned > 0 {
      writer.text(",\"counter changes left out between the highest and the last of each moment\":")
      writer.number(thinned)
    }
    writer.byte(UInt8(ascii: "}"))
  }
}

extension OperationRecord {
  /// Never empty, if the class has a name: viewers show "[No name]" instead.
  var shownName: String { title.isEmpty ? className : title }
}

extension OperationState {
  /// Without the detour over a `String`.
  var word: StaticString {
    switch self {
    case .pending: "pending"
    case .ready: "ready"
    case .executing: "executing"
    case .finished: "finished"
    case .cancelled: "cancelled"
    case .failed: "failed"
    }
  }
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
