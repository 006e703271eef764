#if Metrics
  internal import CoreMetrics
  internal import Foundation
  internal import OpTrace

  /// How long the operations of one class waited and ran in the queues of one name. It follows all of them.
  ///
  /// Sendable: all of it is constant, and metrics may be set from any thread.
  final class Series: WorkFollower, Sendable {
    static let other = "other"
    static func name(ofQueue name: String?) -> String { name ?? "unnamed" }

    private let forDependencies, forSlot, forCode: CoreMetrics.Timer
    private let finished, failed, cancelled: Counter

    init(queue: String, class name: String, _ factory: any MetricsFactory) {
      let pair = [("queue", queue), ("class", name)]
      func timer(_ label: String) -> CoreMetrics.Timer {
        CoreMetrics.Timer(label: label, dimensions: pair, factory: factory)
      }
      func counter(_ outcome: String) -> Counter {
        Counter(label: "optrace_operations_total", dimensions: pair + [("outcome", outcome)], factory: factory)
      }
      forDependencies = timer("optrace_operation_wait_dependencies_seconds")
      forSlot = timer("optrace_operation_wait_slot_seconds")
      forCode = timer("optrace_operation_run_seconds")
      finished = counter("finished")
      failed = counter("failed")
      cancelled = counter("cancelled")
    }

    var wantsSteps: Bool { true }
    func run(_ body: () -> Void) { body() }

    func reached(_ step: WorkStep, of live: FollowedOperation) {
      switch step {
      case .ready, .began, .cancelled, .dropped: break
      case .started:
        let progress = live.currentProgress
        // Who never said that it was ready waited for nobody knows what.
        guard let ready = progress.ready, let started = progress.started else { return }
        forDependencies.recordNanoseconds(Self.time(from: progress.enqueued, to: ready))
        forSlot.recordNanoseconds(Self.time(from: ready, to: started))
      case .finished(let error):
        let progress = live.currentProgress
        if let began = progress.began, let ended = progress.ended {
          forCode.recordNanoseconds(Self.time(from: began, to: ended))
        }
        (error != nil ? failed : progress.isCancelled ? cancelled : finished).increment()
      }
    }

    private static func time(from start: UInt64, to end: UInt64) -> Int64 {
      Int64(clamping: end > start ? end - start : 0)
    }
  }

  /// Gives each operation its series: as many as allowed, and one for the rest.
  ///
  /// Sendable: `known` and `rest` are only touched under `lock`.
  final class WaitObserver: WorkObserver, @unchecked Sendable {
    private struct Pair: Hashable {
      var queue: String
      var type: ObjectIdentifier?
    }

    private let limit: Int
    private let factory: any MetricsFactory
    private let lock = NSLock()
    private var known: [Pair: Series] = [:]
    private var rest: (series: Series, count: Counter)?

    init(limit: Int, _ factory: any MetricsFactory) {
      self.limit = limit
      self.factory = factory
    }

    func follow(_ live: FollowedOperation, _ operation: Operation?) -> (any WorkFollower)? {
      let pair = Pair(
        queue: Series.name(ofQueue: live.queue.currentName),
        type: operation.map { ObjectIdentifier(Swift.type(of: $0)) })
      let (series, count) = lock.withLock { find(pair, operation) }
      count?.increment()
      return series
    }

    private func find(_ pair: Pair, _ operation: Operation?) -> (Series, Counter?) {
      if let found = known[pair] { return (found, nil) }
      if known.count < limit {
        let new = Series(queue: pair.queue, class: FollowedOperation.className(of: operation), factory)
        known[pair] = new
        return (new, nil)
      }
      let found =
        rest
        ?? (
          Series(queue: Series.other, class: Series.other, factory),
          Counter(label: "optrace_operations_in_other_total", factory: factory)
        )
      rest = found
      return (found.series, found.count)
    }
  }
#endif
