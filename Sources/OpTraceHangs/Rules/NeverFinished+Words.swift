import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// The words of `never-finished`, by the reason that its rule found.
extension Finding.Ending {
  static let announcedEnd = Self.onlyBy("isFinished = true, with its notification,")
}

extension Finding.Form {
  static let signal = Self("signal")
  static let group = Self("group")
  static let asleep = Self("asleep")
  static let workOver = Self("work over")
  static let unfinished = Self("unfinished")
  static let abandonedLock = Self("abandoned lock")
  static let computing = Self("computing")
}

extension DoctorContext {
  /// The finding with the evidence of its reason; the rule adds the rest.
  func finding(about operation: OperationRecord, _ reason: UnfinishedReason) -> Finding {
    switch reason {
    case .unannounced(let seen): unannounced(operation, seen)
    case .waits(let waiting): waits(operation, waiting)
    case .asleep(let seen): asleep(operation, seen)
    case .workOver(let count, let last, let over): workOver(operation, count, last, over)
    case .silent: silentSinceStart(operation)
    }
  }

  private func unannounced(_ operation: OperationRecord, _ seen: Stamp) -> Finding {
    var finding = Finding(
      .neverFinished, .error, ending: .onlyBy("the notification that isFinished has changed"),
      title: "\(name(operation.id)) is finished but never notified its queue",
      explanation:
        "It set isFinished to true without a notification. A queue does not ask again by itself: the operation "
        + "keeps its slot, and its dependents never start.",
      fix: "Announce the change: willChangeValue(forKey: \"isFinished\") before and didChangeValue(forKey: "
        + "\"isFinished\") after, and the same for isExecuting; or derive it from TracedAsyncOperation, which does this."
    )
    finding.evidence.append(.init(at: seen, "isFinished was true, and no notification has come since"))
    return finding
  }

  private func waits(_ operation: OperationRecord, _ waiting: UnfinishedReason.Waiting) -> Finding {
    let name = name(operation.id)
    let wait = waiting.wait
    let target = target(of: wait)
    let missed = waiting.missed.map { DurationText.text($0) }
    var finding = Finding(
      .neverFinished, .error, ending: .onlyBy(waiting.isForGroup ? "leave()" : "a signal"),
      title: "\(name) has been waiting for \(target) \(since(wait.began))"
        + (missed.map { ", whose last signal came \($0) before the wait" } ?? ""),
      explanation: "\(name) blocks its thread, and nothing has moved for \(DurationText.text(silence)). "
        + (missed == nil
          ? "Nothing has woken it." : "A condition keeps no signal: one that comes before the wait wakes nobody."),
      fix: (waiting.isForGroup
        ? "Call leave() once for each enter() of \(target), on every path: also where a guard returns or an error is "
          + "thrown before it, and where a callback is never called."
        : missed == nil
          ? "Find the code that has to signal \(target), on every path."
          : "Before each wait, and under the lock, check whether what is waited for has happened already: "
            + "while !isDone { condition.wait() }.")
        + " Better, do not block inside an operation. " + Self.asAsynchronous(operation)
        + ": \(Self.whatAsynchronousMeans).")
    finding.form = waiting.isForGroup ? .group : .signal
    finding.evidence.append(
      .init(
        at: Stamp(wait.began, wait.thread),
        "\(name) began to wait for \(target)\(Self.phrase(location(of: wait)))\(callers(of: wait.at))"))
    if let instead = waiting.instead {
      tell(instead, in: &finding)
    } else if let signal = wait.lastSignal {
      let who = signal.operation.map { " inside \(self.name($0))" } ?? ""
      finding.evidence.append(.init(time: signal.time, "\(target) was last signalled\(who), before that"))
    } else {
      finding.evidence.append(.init("the trace has no earlier signal of \(target)"))
    }
    return finding
  }

  private func asleep(_ operation: OperationRecord, _ seen: SeenThread) -> Finding {
    let name = name(operation.id)
    // A line in the system's code does not help the user.
    let location = trace.stacks.ownFrame(seen.at) == nil ? "" : Self.phrase(trace.stacks.codeLocation(seen.at))
    var finding = Finding(
      .neverFinished, .error, ending: .sentence("Only another thread could wake it, and each of them waits, too."),
      title: "\(name) waits for \(seen.reason.text), and nothing is left to wake it\(location)",
      explanation: "\(name) blocks its thread, nothing has moved for \(DurationText.text(silence)), and every thread "
        + "of the process waits for another one. None is left that could wake it.",
      fix:
        "Find the code that has to wake \(name), on every path\(location). Better, do not block inside an operation. "
        + Self.asAsynchronous(operation) + ": \(Self.whatAsynchronousMeans).")
    finding.form = .asleep
    finding.evidence.append(
      .init(
        at: Stamp(seenThreads.time ?? end, seen.thread),
        "\(self.name(seen.thread)) sleeps until another thread wakes it\(location)"))
    return finding
  }

  private func workOver(_ operation: OperationRecord, _ count: Int, _ last: WorkID, _ over: Nanoseconds) -> Finding {
    let name = name(operation.id)
    let all = count == 1 ? "the work it submitted is" : "all \(count) blocks and tasks it submitted are"
    var finding = Finding(
      .neverFinished, .error, ending: .announcedEnd,
      title: "\(name) was started, \(all) over, and nothing has finished it",
      explanation:
        "Its start() has returned. The last block or task it submitted, \(self.name(last)), "
        + "ended \(DurationText.text(max(0, end - over))) ago, and none of them called finish().",
      fix:
        "Call finish() on every path of the work that \(operation.className) submits, such as \(self.name(last)), "
        + "including when it fails or is cancelled.")
    finding.form = .workOver
    finding.evidence.append(.init(time: over, "\(self.name(last)), the last work that \(name) submitted, was over"))
    return finding
  }

  private func silentSinceStart(_ operation: OperationRecord) -> Finding {
    var finding = Finding(
      .neverFinished, .error, ending: .announcedEnd,
      title: "\(name(operation.id)) was started but has not finished for \(DurationText.text(silence))",
      explanation: "Its start() has returned, nothing has moved for \(DurationText.text(silence)), and nothing has "
        + "reported that it is finished.",
      fix: "Call finish() on every path of \(operation.className): also when the work fails, is cancelled, or its "
        + "callback is never called (use a timeout). A class with its own state must also announce isFinished "
        + "(didChangeValue).")
    finding.form = .unfinished
    return finding
  }
}
