import OpTraceKernel
public import OpTraceModel
import OpTraceText

/// What the doctor reports about a trace or a running process, to be written as text or as JSON.
public struct DoctorReport: Sendable {
  /// A trace as it was read at one moment.
  public struct Reading: Sendable {
    /// The trace as it was read.
    public var trace: Trace
    /// The current time on the trace's clock, if the process still runs.
    public var now: Nanoseconds?

    /// - Parameter now: the current time on the trace's clock, in nanoseconds since its start, if the process still runs.
    public init(_ trace: Trace, now: Nanoseconds? = nil) {
      self.trace = trace
      self.now = now
    }
  }

  /// What happened between two readings of a running process.
  public struct Movement: Sendable, Equatable {
    /// Time from the first reading to the second.
    public var apart: Nanoseconds
    /// Operations that were seen for the first time.
    public var added = 0
    /// Operations that were started.
    public var started = 0
    /// Operations that were finished.
    public var finished = 0
    /// Some operation, queue or wait changed.
    public var hasMoved: Bool
  }

  /// The trace of the last reading.
  public let trace: Trace
  /// The findings, errors first.
  public package(set) var findings: [Finding]
  /// How long nothing had moved at the end.
  public let silence: Nanoseconds
  /// The trace's end, or the present.
  public let end: Nanoseconds
  /// Nil: the trace was read once.
  public let movement: Movement?
  private let rest: Diagnosis.Rest
  /// What it was made by.
  let rules: RuleSet

  /// Nothing has moved for long enough to count, and work is open.
  package var isStandstill: Bool { rest.isStandstill }
  /// What may still move the program then.
  package var doors: [Door] { rest.doors }
  /// Who waits for what then, the main thread first.
  var waiting: [Door] { rest.waiting }
  private var isIdleForGood: Bool { rest.isIdleForGood }

  /// The worst of the findings in one word.
  public var verdict: Diagnosis.Verdict { Diagnosis.verdict(findings, of: trace) }
  /// Something is proven to be wrong.
  public var hasErrors: Bool { findings.contains { $0.severity == .error } }

  /// How long a silence has to last before it counts, in nanoseconds: five seconds.
  public static var defaultStallAfter: Nanoseconds { DoctorOptions().stallAfter }

  /// What a trace shows.
  package init(of reading: Reading, stallAfter: Nanoseconds = defaultStallAfter, by rules: RuleSet) {
    let diagnosis = Self.diagnosis(of: reading, stallAfter, rules)
    self.rules = rules
    trace = reading.trace
    findings = diagnosis.findings
    silence = diagnosis.silence
    end = max(reading.now ?? reading.trace.end, reading.trace.end)
    movement = nil
    rest = diagnosis.rest
  }

  /// A diagnosis that was made already.
  package init(of trace: Trace, _ diagnosis: Diagnosis) {
    self.trace = trace
    findings = diagnosis.findings
    silence = diagnosis.silence
    end = trace.end
    movement = nil
    rest = diagnosis.rest
    rules = diagnosis.rules
  }

  /// The findings so far of a program that is watched.
  package init(of trace: Trace, findings: [Finding], by rules: RuleSet) {
    self.rules = rules
    self.trace = trace
    self.findings = findings
    silence = 0
    end = trace.end
    movement = nil
    rest = .none
  }

  /// What a running process shows in both of two readings: transient states are left out.
  package init(
    of first: Reading, then second: Reading, stallAfter: Nanoseconds = defaultStallAfter, by rules: RuleSet
  ) {
    let later = Self.diagnosis(of: second, stallAfter, rules)
    self.rules = rules
    trace = second.trace
    findings = Self.diagnosis(of: first, stallAfter, rules).confirmed(by: later)
    silence = later.silence
    rest = later.rest
    end = max(second.now ?? second.trace.end, second.trace.end)
    let apart = max(0, end - max(first.now ?? first.trace.end, first.trace.end))
    movement = Movement(from: first.trace, to: second.trace, apart: apart, hasMoved: later.silence < apart)
  }

  private static func diagnosis(of reading: Reading, _ stallAfter: Nanoseconds, _ rules: RuleSet) -> Diagnosis {
    var options = DoctorOptions()
    options.stallAfter = stallAfter
    options.now = reading.now
    return Diagnosis(of: reading.trace, options: options, by: rules)
  }
}

extension DoctorReport.Movement {
  /// A flight recorder may have dropped what was over at the first reading.
  fileprivate init(from first: Trace, to second: Trace, apart: Nanoseconds, hasMoved: Bool) {
    self.init(apart: apart, hasMoved: hasMoved)
    for operation in second.operations {
      let before = first.operation(operation.id)
      if before == nil { added += 1 }
      if operation.started != nil, before?.started == nil { started += 1 }
      if operation.finished != nil, before?.finished == nil { finished += 1 }
    }
  }
}

extension DoctorReport {
  /// The state of an operation at the end, and since when.
  func state(of operation: OperationRecord) -> (word: String, since: Nanoseconds?) {
    guard operation.isOutcomeKnown else { return ("unknown", nil) }
    let state = operation.state
    let since: Nanoseconds? =
      switch state {
      case .pending: operation.enqueued?.time
      case .ready: operation.runnable
      case .executing: operation.started?.time ?? operation.executionBegan?.time
      case .finished, .cancelled, .failed: nil
      }
    return (state.rawValue, since.map { max(0, end - $0) })
  }

  /// How many operations are unfinished, of those whose end would be known.
  package var unfinished: Int {
    trace.operations.count { $0.finished == nil && $0.isOutcomeKnown && $0.released == nil }
  }
}

/// The verdict as a sentence that the terminal and the page share.
extension DoctorReport {
  /// The verdict, the number of findings and of unfinished operations, in one sentence with its full stop.
  public var sentence: String {
    let all = trace.operations.count
    let open = unfinished
    if verdict == .healthy || verdict == .unknown && findings.isEmpty { return answer }
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : counted(count, severity.rawValue)
    }
    // The word is no severity but a state, from healthy to deadlocked.
    let word = verdict == .warning && hasErrors ? "warning, not stalled" : verdict.rawValue
    var text = "\(word): \(listed(counts))"
    if open == 0 {
      let hasWork = !(trace.operations.isEmpty && trace.blocks.isEmpty && trace.tasks.isEmpty)
      if hasWork { text += " in \(trace.workAmount)" }
    } else {
      text += "; \(grouped(open)) of \(counted(all, "operation")) \(open == 1 ? "is" : "are") unfinished"
      if isSilent { text += ", and nothing moved in the last \(DurationText.text(silence))" }
    }
    return text + "."
  }

  /// Of a program that works.
  var healthySentence: String {
    if isIdleForGood { return idleSentence }
    if trace.origin != nil, let text = unprovenSentence { return text }
    if trace.origin != nil, trace.operations.isEmpty, trace.blocks.isEmpty, trace.tasks.isEmpty {
      return "No unfinished operation, block or task was found. `optrace stacks` shows where threads wait." + tooEarly
    }
    if trace.operations.isEmpty, trace.blocks.isEmpty, trace.tasks.isEmpty {
      if trace.memory?.allocations.isEmpty == false {
        return "Nothing wrong was found in where memory goes. The trace has no operation, block or task: "
          + "`record --all` records them."
      }
      return "The trace has no operation, block or task, so it cannot show whether one is stuck. "
        + "`record --all` also records dispatch queues and tasks; if it did, the program used none. "
        + (whoWaits(waiting) ?? "`optrace stacks` shows where threads wait.")
    }
    let open = unfinished
    let text = "No deadlock, stall or misuse found in \(trace.workAmount)."
    guard open > 0 else { return text + stillWaiting }
    return text
      + " \(grouped(open)) of \(trace.blocks.isEmpty && trace.tasks.isEmpty ? "them" : "the operations") \(open == 1 ? "is" : "are") unfinished"
      + (isSilent ? ", and nothing moved in the last \(DurationText.text(silence))." : ".") + stillWaiting
  }

  /// Of a process that was seen from outside: what stands in it, though others may still move it. Nil: nothing does.
  private var unprovenSentence: String? {
    let notes = findings.filter { $0.isStuck && !$0.isPassing }.prefix(1).map { $0.title.uppercasedFirst + "." }
    let parts = notes + [whoWaits(waiting)].compactMap(\.self)
    return parts.isEmpty ? nil : "Nothing is proven to be stuck. \(parts.joined(separator: " "))\(tooEarly)"
  }

  /// Who waits in a process that runs and does not move: the reader may know that it should.
  private var stillWaiting: String {
    guard let movement, !movement.hasMoved, let who = whoWaits(waiting) else { return "" }
    return " " + who
  }

  /// Of a process that was seen from outside, and has not moved for a short time: what only silence shows is told later. Where something
  /// may still move it, such as libdispatch's thread for timers each second, that silence never comes.
  private var tooEarly: String {
    guard let origin = trace.origin, origin.isTimed, !origin.hasMoved, silence <= Self.defaultStallAfter, doors.isEmpty
    else { return "" }
    return " Nothing has moved for \(DurationText.text(silence)): look again when it has not for "
      + "\(DurationText.text(Self.defaultStallAfter))."
  }

  /// Of a program in which nothing can begin any more: often something that it waits for was released.
  private var idleSentence: String {
    let hasWork = !(trace.operations.isEmpty && trace.blocks.isEmpty && trace.tasks.isEmpty)
    return (hasWork ? "No deadlock, stall or misuse found in \(trace.workAmount), but the" : "The")
      + " program has nothing to do and nothing left to wait for: every thread is idle, and no timer, source, block or task is pending. "
      + "Only a signal can wake it. A dispatch source or a timer that nobody keeps is released, and never fires."
  }

  /// Nothing has moved for long enough to mention it. With two readings the text says what moved instead.
  private var isSilent: Bool {
    movement == nil && silence >= 1_000_000_000 && !trace.hasNoTimes && trace.origin?.hasMoved != true
  }

  /// What is missing, and what that means; nil: nothing.
  package var lossSentence: String? {
    let loss = trace.loss
    var parts: [String] = []
    if loss.isDamaged {
      parts.append("\(counted(loss.damage.count, "part")) of it \(loss.damage.count == 1 ? "is" : "are") damaged")
    }
    if loss.lostCount > 0 {
      parts.append("\(counted(Int(clamping: loss.lostCount), "record")) \(loss.lostCount == 1 ? "was" : "were") lost")
    }
    if !loss.unknownKinds.isEmpty { parts.append("a newer OpTrace wrote records that this one does not know") }
    guard !parts.isEmpty else { return nil }
    return "The trace is not complete: \(listed(parts)). What is missing may show otherwise."
  }

  /// Why all times may be longer than the program's own; nil: its threads seldom waited for a processor.
  package var machineSentence: String? { MachineLoad(of: trace)?.sentence }

  /// What no trace of this program can show; nil: nothing.
  package var unknownWaitsSentence: String? { trace.unknownWaitsSentence }
}
