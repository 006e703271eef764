internal import Dispatch
internal import Foundation
public import OpTrace
import OpTraceModel
import OpTraceText

/// Tells when work is pending and nothing moves.
///
/// ```swift
/// let watchdog = Watchdog(recorder, after: .seconds(10))
/// ```
///
/// Pending is an operation that was enqueued or started and is not finished, and a thread in a recorded wait. When that
/// is so and no operation, queue or wait has changed for `after`, the handler is called with what the doctor finds and
/// the state of all queues: once, and again only when something else is pending and nothing moves again. An idle process
/// is never reported. Where records were lost, only what is proven all the same.
///
/// A thread of its own looks a few times in each `after` whether anything was written since; that costs the recording
/// threads nothing. The trace is read only when nothing was. So while one queue hangs and others go on, it says nothing:
/// ``SignalReport`` and `optrace doctor` do.
///
/// It ends by ``cancel()``, when it is released, and when the recorder stops. It keeps the recorder until then. In a
/// forked child it does nothing.
public final class Watchdog: Sendable {
  private let loop: WatchLoop

  /// - Parameters:
  ///   - recorder: whose trace is watched.
  ///   - after: how long nothing may move. Less than some tenths of a second tells of ordinary waiting.
  ///   - handler: is called on the watchdog's thread, one call at a time. It may take its time and use queues; what
  ///     it enqueues is not reported.
  public init(
    _ recorder: TraceRecorder, after: Duration = .seconds(5),
    handler: @escaping @Sendable (QueueReport) -> Void = { Watchdog.print($0) }
  ) {
    let loop = WatchLoop(recorder, after: max(after, .milliseconds(1)), handler)
    self.loop = loop
    OwnThread.start("optrace watch") { loop.run() }
  }

  /// The same, with `after` in seconds. What is no time is as long as there is.
  public convenience init(
    _ recorder: TraceRecorder, after seconds: Double,
    handler: @escaping @Sendable (QueueReport) -> Void = { Watchdog.print($0) }
  ) {
    let longest = 1e9
    self.init(recorder, after: .seconds(seconds <= longest ? max(0, seconds) : longest), handler: handler)
  }

  deinit { cancel() }

  /// Ends it. A call of the handler that has begun goes on. A second call does nothing.
  public func cancel() { loop.cancel() }

  /// Writes a report to standard error: what is done where no handler is given.
  public static func print(_ report: QueueReport) { StandardError.write(report.description) }
}

private final class WatchLoop: Sendable {
  private let recorder: TraceRecorder
  private let after: Duration
  private let handler: @Sendable (QueueReport) -> Void
  private let cancelled = DispatchSemaphore(value: 0)

  init(_ recorder: TraceRecorder, after: Duration, _ handler: @escaping @Sendable (QueueReport) -> Void) {
    self.recorder = recorder
    self.after = after
    self.handler = handler
  }

  func cancel() { cancelled.signal() }

  func run() {
    let pause = min(max(after / 8, .milliseconds(1)), .seconds(1))
    var seen: UInt64?
    var quietSince = ContinuousClock.now
    var hasLooked = false
    var told: Situation?
    while cancelled.wait(timeout: .now() + .nanoseconds(Int(pause.nanoseconds))) == .timedOut {
      guard let activity = recorder.activity else { return }
      if activity != seen {
        (seen, quietSince, hasLooked) = (activity, .now, false)
      } else if !hasLooked, .now - quietSince >= after {
        hasLooked = look(&told)
      }
    }
  }

  /// - Returns: false when it has to look again though nothing is written.
  private func look(_ told: inout Situation?) -> Bool {
    let live: LiveTrace
    do {
      live = try LiveTrace(of: recorder)
    } catch {
      // The recorder may have been stopped at this moment.
      if recorder.isRecording { StandardError.write("optrace: the watchdog sees nothing: \(error)") }
      return true
    }
    let situation = Situation(live.trace, without: TraceRecorder.threadID)
    guard !situation.isIdle, situation != told else { return true }
    let report = DoctorReport(of: live.look, stallAfter: after.nanoseconds)
    guard report.silence >= after.nanoseconds else { return false }
    told = situation
    // Where records were lost, what seems to be pending may be over long since.
    guard report.hasErrors || live.trace.loss.lostCount == 0 else { return true }
    handler(QueueReport(report))
    return true
  }
}
