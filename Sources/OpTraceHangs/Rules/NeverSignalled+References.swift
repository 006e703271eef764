import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// Waits that nobody could end, because nothing in the process refers to what is waited for. That holds whatever else still moves.
extension DoctorContext {
  /// One finding for each semaphore or group. Waits inside of operations are told by `never-finished`.
  func unreferencedWaits() -> [Finding] {
    let waits = trace.waits.filter { isUnreferenced($0) && $0.inside.flatMap(operation) == nil }
    return Self.groups(waits, by: \.target).map { waits in
      let first = waits[0]
      let what = target(of: first)
      let isGroup = isGroup(first)
      let phrase = Self.phrase(location(of: first))
      var finding = Finding(
        .neverSignalled, .error, ending: .sentence("Nothing can end it."),
        title: "\(waiter(first)) waits for \(what), which nothing else refers to"
          + "\(waits.count > 1 ? " (and \(waits.count - 1) more)" : "")\(phrase)",
        explanation:
          "Whoever \(isGroup ? "leaves" : "signals") needs a reference to \(what). Nothing that could go on has one, so nothing can "
          + "\(isGroup ? "call leave() on" : "signal") it any more, whatever else goes on in the process.",
        fix: isGroup
          ? "Call leave() once for each enter() of \(what), on every path: also where a callback is released without being called."
          : "Find the code that has to signal \(what): it was released without doing so, such as a callback that was never called, "
            + "or returned before.")
      finding.location = location(of: first)
      for wait in waits.prefix(Self.mostEvidence) {
        finding.evidence.append(
          .init(
            at: Stamp(wait.began, wait.thread),
            "\(waiter(wait)) began to wait for \(target(of: wait))\(Self.phrase(location(of: wait)))"))
      }
      finding.evidence.append(.init(Self.noReference(to: what)))
      return proven(finding)
    }
  }

  static func noReference(to what: String) -> String {
    "a search of the process's memory found no reference to \(what) but those of what waits itself"
  }
}
