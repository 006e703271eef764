internal import Dispatch
import OpTrace
import OpTraceDoctor
import OpTraceKernel
import OpTraceHangs
import OpTraceModel
import OpTraceText

/// Checks now and then whether a body can still continue.
final class Detector: Sendable {
  let threads = BodyThreads()
  private let recorder: TraceRecorder
  private let after: Duration
  private let timeout: Duration?
  private let fail: @Sendable (any Error) -> Void
  private let cancelled = DispatchSemaphore(value: 0)
  private let began = TraceRecorder.monotonicNow

  init(
    _ recorder: TraceRecorder, after: Duration, timeout: Duration?, fail: @escaping @Sendable (any Error) -> Void
  ) {
    self.recorder = recorder
    self.after = after
    self.timeout = timeout
    self.fail = fail
  }

  func start() { OwnThread.start("optrace detect") { self.run() } }
  func cancel() { cancelled.signal() }

  private func run() {
    let clock = ContinuousClock()
    let deadline = timeout.map { clock.now + $0 }
    var previous: Diagnosis?
    var pause = Duration.milliseconds(100)
    while true {
      let left = deadline.map { $0 - clock.now } ?? pause
      guard left > .zero else { return fail(StallError(timeout: timeout ?? .zero, result: wholeReport)) }
      let nanoseconds = Int(min(pause, left).nanoseconds)
      guard cancelled.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut else { return }
      // A long trace takes a while to read: that must not cost the body more than a tenth of the machine's one core.
      let cost = clock.measure {
        guard let part else { return }
        let diagnosis = self.diagnosis(of: part)
        if let error = proof(part, previous, diagnosis) { return fail(error) }
        previous = diagnosis
      }
      pause = max(.milliseconds(200), cost * 10)
    }
  }

  /// The body's part of the trace; nil: it cannot be read, or the recorder was stopped.
  private var part: LiveTrace? {
    guard var live = try? LiveTrace(of: recorder) else { return nil }
    if let threads = threads.known {
      let since = Nanoseconds(clamping: began) &- Nanoseconds(clamping: live.trace.header.startMonotonic)
      live.trace = BodyPart(of: live.trace, threads: threads, since: since).trace
    }
    return live
  }

  private func diagnosis(of live: LiveTrace) -> Diagnosis {
    var options = DoctorOptions()
    options.stallAfter = after.nanoseconds
    options.now = live.now
    options.isSilenceEnough = true
    return Diagnosis(of: live.trace, options: options, by: .hangs)
  }

  private func proof(_ part: LiveTrace, _ previous: Diagnosis?, _ diagnosis: Diagnosis) -> DeadlockError? {
    guard let previous else { return nil }
    let isSilent = diagnosis.silence >= after.nanoseconds
    let errors = previous.confirmed(by: diagnosis).filter { finding in
      guard finding.severity == .error, finding.isStuck else { return false }
      // A queue can be resumed, an operation enqueued, by code that still runs.
      return Diagnosis.verdict([finding]) == .deadlocked || isSilent || waitsBehind(diagnosis, part.trace)
    }
    guard !errors.isEmpty else { return nil }
    return DeadlockError(report: report(of: part), findings: errors)
  }

  private func report(of live: LiveTrace) -> QueueReport {
    QueueReport(DoctorReport(of: live.reading, stallAfter: after.nanoseconds, by: .hangs))
  }

  /// Whether the body's own thread waits forever.
  private func waitsBehind(_ diagnosis: Diagnosis, _ trace: Trace) -> Bool {
    let own = threads.known ?? []
    let ids = Set(trace.threads.filter { own.contains($0.systemID) }.map(\.id))
    let blockage = diagnosis.blockage
    return blockage.graph.nodes.indices.contains { node in
      guard blockage.isBlocked[node], case .thread(let thread) = blockage.graph.nodes[node] else { return false }
      return ids.contains(thread)
    }
  }

  private var wholeReport: Result<QueueReport, TraceError> {
    Result { () throws(TraceError) in report(of: try LiveTrace(of: recorder)) }
  }
}
