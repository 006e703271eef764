import OpTraceKernel
import OpTraceModel
import OpTraceText

/// The answer in one sentence, as a colleague would say it: the first line of the text, and `answer` of the JSON.
extension DoctorReport {
  /// What is stuck since when, because of what, at which line, and who could end it; else what is wrong or slow; else that nothing is.
  /// Claims no more than the certainty of its finding.
  public var answer: String {
    guard let first = told else { return healthyAnswer }
    let what = first.title + locationPhrase(of: first)
    let isStuck = first.isOfStuck(in: trace)
    switch (first.certainty, isStuck) {
    case (.proven, true):
      return joined("Stuck\(duration(of: first)): \(what)", first.ending) + mistake(besides: first)
    case (.proven, false) where first.severity == .error: return "A mistake: \(what)."
    case (.proven, false): return "It works, but: \(what)." + slowMachine
    case (_, true):
      let lead = first.isOfStandstill ? "Probably stuck\(duration(of: first))" : "Perhaps stuck"
      return joined("\(lead): \(what)", first.ending)
    case (.possible, false): return "It works, but may hang another time: \(what)." + slowMachine
    case (_, false): return "It works, but probably: \(what)." + slowMachine
    }
  }

  /// What the answer is about; nil: all is well.
  private var told: Finding? { findings.first { $0.severity != .note && !(isStandstill && $0.isPassing) } }

  /// Behind a finding about a program that is slow: the machine may be the reason.
  private var slowMachine: String { machineSentence.map { " " + $0 } ?? "" }

  /// Why all times may be longer than the program's own, where the answer does not say it.
  var machineRemark: String? {
    guard let told, !told.isOfStuck(in: trace), told.severity != .error else { return machineSentence }
    return nil
  }

  /// A proven misuse beside a wait that nobody ends: often the reason why nobody does. Empty: there is none.
  private func mistake(besides first: Finding) -> String {
    guard [.missingCall, .missingEnd].contains(first.reason),
      let other = findings.first(where: {
        $0.severity == .error && $0.isProven && $0.symptom == .misuse
      })
    else { return "" }
    return " Perhaps the reason: \(other.title)\(locationPhrase(of: other))."
  }

  private func joined(_ sentence: String, _ ending: String) -> String {
    ending.isEmpty ? sentence + "." : "\(sentence). \(ending)"
  }

  /// ` for 2 min 05 s`; empty: nobody knows. Since the last of its moments: a cycle is closed by the wait that came last. What a snapshot saw
  /// began before it, and says nothing of that where others still move.
  private func duration(of finding: Finding) -> String {
    guard !trace.hasNoTimes else { return "" }
    let last = finding.evidence.compactMap(\.time).filter { $0 <= end - silence }.max()
    let lasts = max(0, last.map { end - $0 } ?? silence)
    guard trace.origin == nil || lasts >= TraceOrigin.leastRest else { return "" }
    return trace.origin != nil && lasts < Self.defaultStallAfter
      ? " for at least \(DurationText.text(lasts))" : " for \(DurationText.text(lasts))"
  }

  /// ` at main.swift:12`, unless the title says it.
  private func locationPhrase(of finding: Finding) -> String {
    guard let location = finding.location, let file = location.file?.split(separator: "/").last else {
      let function = finding.location?.function.map { ", in \($0)" } ?? ""
      return finding.title.contains(function) ? "" : function
    }
    let place = location.line.map { "\(file):\($0)" } ?? String(file)
    return finding.title.contains(place) ? "" : ", at \(place)"
  }

  /// No finding does not mean that all is well: where nothing moves, it says who waits for what.
  private var healthyAnswer: String {
    let lead = (missingSentence.map { $0 + " " } ?? "") + (stoppedSentence.map { $0 + " " } ?? "")
    guard isStandstill else { return lead + healthySentence }
    let still = trace.hasNoTimes ? "Nothing moves" : "Nothing has moved for \(DurationText.text(silence))"
    var text = lead + "\(still), and \(openWork). "
    if doors.isEmpty {
      if trace.snapshot == nil { return text + "No reason is known: the trace has no snapshot of the threads." }
      return text
        + (whoWaits(waiting).map { "Nothing is left that could go on. " + $0 }
          ?? "Every thread waits for another one, and the trace does not show for which.")
    }
    // First what waits, then who may end that.
    let ends = Set(doors.map(\.text))
    let notes = findings.filter { $0.certainty == .possible || $0.isPassing }.map(\.title)
    let first = (notes.isEmpty ? waiting.map(\.text).filter { !ends.contains($0) } : notes).prefix(1)
    let all = Array(first) + doors.map(\.text).prefix(first.isEmpty ? 3 : 2)
    let rest = doors.count - (all.count - first.count)
    let shown = all + (rest > 0 ? ["\(grouped(rest)) more may move it"] : [])
    text += "Nothing is proven to be stuck: \(shown.joined(separator: "; "))."
    return text
  }

  /// Of a process whose threads are all stopped: nothing moves, whatever it waits for. Nil: they are not.
  private var stoppedSentence: String? {
    guard let origin = trace.origin, !origin.isCore, let threads = trace.snapshot?.threads, !threads.isEmpty,
      threads.allSatisfy({ $0.state == .stopped })
    else { return nil }
    return "The process is stopped by a signal or a debugger: `kill -CONT \(trace.header.processID)` lets it go on."
  }

  /// That the answer is worth little, because of what could not be read; nil: all was.
  private var missingSentence: String? {
    guard let missing = trace.origin?.leftOut, let first = missing.first else { return nil }
    let rest = missing.count - 1
    return "Whether it is stuck is not known. \(first)"
      + (rest > 0 ? " \(grouped(rest)) more \(rest == 1 ? "part is" : "parts are") left out." : "")
  }

  /// `The main thread waits for semaphore 1, in load() at main.swift:12; 3 more wait.`; nil: nobody is known to wait.
  func whoWaits(_ waiting: [Door]) -> String? {
    guard let first = waiting.first?.text else { return nil }
    let shown = [first.prefix(1).uppercased() + first.dropFirst()] + waiting.dropFirst().prefix(1).map(\.text)
    let rest = waiting.count - shown.count
    return shown.joined(separator: "; ") + (rest > 0 ? "; \(grouped(rest)) more \(rest == 1 ? "waits" : "wait")." : ".")
  }

  /// `3 operations and a task are unfinished`.
  private var openWork: String {
    let counts = [
      (unfinished, "operation"), (trace.blocks.count { $0.over == nil && $0.isOutcomeKnown }, "block"),
      (trace.tasks.count { $0.over == nil }, "task"),
    ].filter { $0.0 > 0 }
    guard let first = counts.first else { return "a thread waits" }
    let isOne = counts.count == 1 && first.0 == 1
    return "\(listed(counts.map { counted($0.0, $0.1) })) \(isOne ? "is" : "are") unfinished"
  }
}
