import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// A signal that woke another thread than the one that needed it: the signal of a condition wakes any one of those that
/// wait, and whoever still finds nothing to do waits again.
struct WokenInstead {
  /// The wait that began before the signal, and goes on.
  var waiting: WaitRecord
  /// The wait that the signal ended.
  var woken: WaitRecord
  var signal: WaitRecord.Signal

  static let explanation =
    "The signal of a condition wakes any one of the threads that wait for it. The one that was woken found that the signal was not "
    + "for it, and waits again; the other one was never woken."
  static let fix =
    "Call broadcast() where threads wait for different things under one condition, so that each of them looks again. "
    + "Or give each thing that is waited for a condition of its own."
}

extension DoctorContext {
  /// The last such signal of a condition; nil: there is none. O(waits).
  func wokenInstead(of target: WaitRecord.Target) -> WokenInstead? {
    guard case .object(let id) = target, trace.object(id)?.kind == .condition else { return nil }
    let waits = trace.waits.filter { $0.target == target }
    let open = waits.filter { $0.ended == nil }
    for woken in waits.reversed() {
      guard let ended = woken.ended, let signal = woken.endSignal,
        open.contains(where: { $0.thread == woken.thread && $0.began >= ended }),
        let waiting = open.first(where: { $0.thread != woken.thread && $0.began <= signal.time })
      else { continue }
      return WokenInstead(waiting: waiting, woken: woken, signal: signal)
    }
    return nil
  }

  /// Makes a finding about a condition one about that signal.
  func tell(_ found: WokenInstead, in finding: inout Finding) {
    finding.title =
      "\(waiter(found.waiting)) waits for \(target(of: found.waiting)), whose signal woke \(waiter(found.woken)) instead"
      + Self.phrase(location(of: found.waiting))
    finding.explanation = WokenInstead.explanation
    finding.fix = WokenInstead.fix
    finding.location = location(of: found.waiting)
    let by = found.signal.operation.map { " by \(name($0))" } ?? found.signal.thread.map { " by \(name($0))" } ?? ""
    finding.evidence.append(
      .init(
        time: found.signal.time,
        "\(target(of: found.waiting)) was signalled\(by): \(waiter(found.woken)) was woken, and waits again"))
  }
}
