internal import Dispatch
internal import Foundation
public import OpTrace
import OpTraceKernel
import OpTraceDoctor
import OpTraceHangs
import OpTraceModel
import OpTraceText

/// Reports when work is pending and nothing moves.
///
/// ```swift
/// let watchdog = Watchdog(recorder, after: .seconds(10))
/// ```
///
/// Pending means an operation that was enqueued or started and is not finished, or a thread in a recorded wait. If
/// something is pending and no operation, queue or wait has changed for `after`, the handler gets the doctor's findings
/// and the state of all queues: once, and again only when something else is pending and nothing moves. An idle process is
/// never reported. If records were lost, only proven errors are reported.
///
/// Its own thread checks a few times in each `after` whether anything was recorded; that costs the recording threads
/// nothing. It reads the trace only if nothing was. So it reports nothing while one queue hangs and others run:
/// ``SignalReport`` and `optrace doctor` do.
///
/// It ends with ``cancel()``, when it is released, or when the recorder stops, and retains the recorder until then. In a
/// forked child it does nothing.
public final class Watchdog: Sendable {
  private let loop: WatchLoop

  /// - Parameters:
  ///   - recorder: whose trace is watched.
  ///   - after: how long nothing may move. Less than some tenths of a second reports ordinary waits.
  ///   - handler: called on the watchdog's thread, one call at a time. It may be slow and use queues; what it enqueues is
  ///     not reported.
  public init(
    _ recorder: TraceRecorder, after: Duration = .seconds(5),
    handler: @escaping @Sendable (QueueReport) -> Void = { Watchdog.print($0) }
  ) {
    let loop = WatchLoop(recorder, after: max(after, .milliseconds(1)), handler)
    self.loop = loop
    OwnThread.start("optrace watch") { loop.run() }
  }

  /// The same, with `after` in seconds. NaN means the longest time.
  public convenience init(
    _ recorder: TraceRecorder, after seconds: Double,
    handler: @escaping @Sendable (QueueReport) -> Void = { Watchdog.print($0) }
  ) {
    let longest = 1e9
    self.init(recorder, after: .seconds(seconds <= longest ? max(0, seconds) : longest), handler: handler)
  }

  deinit { cancel() }

  /// Ends it. A call of the handler that has begun still completes. A second call does nothing.
  public func cancel() { loop.cancel() }

  /// Writes a report to standard error: the default handler.
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
    var hasChecked = false
    var reported: Situation?
    while cancelled.wait(timeout: .now() + .nanoseconds(Int(pause.nanoseconds))) == .timedOut {
      guard let activity = recorder.activity else { return }
      if activity != seen {
        (seen, quietSince, hasChecked) = (activity, .now, false)
      } else if !hasChecked, .now - quietSince >= after {
        hasChecked = check(&reported)
      }
    }
  }

  /// - Returns: false if it has to check again although nothing is written.
  private func check(_ reported: inout Situation?) -> Bool {
    let live: LiveTrace
    do {
      live = try LiveTrace(of: recorder)
    } catch {
      // The recorder may have been stopped at this moment.
      if recorder.isRecording { StandardError.write("optrace: the watchdog cannot read the trace: \(error)") }
      return true
    }
    let situation = Situation(live.trace, without: TraceRecorder.threadID)
    guard !situation.isIdle, situation != reported else { return true }
    let report = DoctorReport(of: live.reading, stallAfter: after.nanoseconds, by: .hangs)
    guard report.silence >= after.nanoseconds else { return false }
    reported = situation
    // If records were lost, what seems to be pending may be finished.
    guard report.hasErrors || live.trace.loss.lostCount == 0 else { return true }
    handler(QueueReport(report))
    return true
  }
}

/// What is pending in a trace: unfinished work, and threads that wait. Two stalls with the same situation are one.
struct Situation: Hashable {
  private var operations: [OperationID: OperationState] = [:]
  private var waits: [ThreadID: WaitRecord.Target] = [:]
  private var suspended: Set<QueueID> = []

  /// - Parameter watcher: the system's number of a thread whose doings do not count: a report must not cause another.
  init(_ trace: Trace, without watcher: UInt32) {
    let own = Set(trace.threads.filter { $0.systemID == watcher }.map(\.id))
    for operation in trace.operations where operation.isUnfinished {
      // One that was only made is not pending: nobody has asked for it yet.
      guard operation.queue != nil || operation.started != nil || operation.executionBegan != nil else { continue }
      if let by = operation.enqueued?.thread ?? operation.started?.thread, own.contains(by) { continue }
      operations[operation.id] = operation.state
    }
    for wait in trace.waits where wait.ended == nil && !own.contains(wait.thread) && !trace.endsByItself(wait) {
      waits[wait.thread] = wait.target
    }
    for queue in trace.queues where queue.isSuspended { suspended.insert(queue.id) }
  }

  /// Nothing is pending: the process is idle.
  var isIdle: Bool { operations.isEmpty && waits.isEmpty }
}
