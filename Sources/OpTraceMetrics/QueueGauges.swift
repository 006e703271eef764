#if Metrics
  internal import CoreMetrics
  internal import Foundation
  internal import OpTrace

  /// What queues hold at a moment, by their names: queues of one name are counted together.
  ///
  /// Sendable: `known` is only touched under `lock`.
  final class QueueGauges: @unchecked Sendable {
    private struct Gauges {
      let executing, ready, waiting, oldest: Gauge

      init(_ name: String, _ factory: any MetricsFactory) {
        func gauge(_ label: String) -> Gauge {
          Gauge(label: label, dimensions: [("queue", name)], factory: factory)
        }
        executing = gauge("optrace_queue_executing")
        ready = gauge("optrace_queue_ready")
        waiting = gauge("optrace_queue_waiting")
        oldest = gauge("optrace_queue_oldest_ready_seconds")
      }

      func set(_ state: FollowedQueue.State, at now: UInt64) {
        executing.record(state.executing)
        ready.record(state.ready)
        waiting.record(state.waiting)
        let since = state.oldestReady ?? now
        oldest.record(now > since ? Double(now - since) / 1e9 : 0)
      }
    }

    private let limit: Int
    private let factory: any MetricsFactory
    private let lock = NSLock()
    private var known: [String: Gauges] = [:]

    init(limit: Int, _ factory: any MetricsFactory) {
      self.limit = limit
      self.factory = factory
    }

    func refresh() {
      let states = Observers.allQueues.map(\.state)
      let now = Observers.now
      lock.withLock {
        var sums: [String: FollowedQueue.State] = [:]
        for state in states {
          let name = Series.name(ofQueue: state.name)
          let isReported = known[name] != nil || sums[name] != nil || known.count + sums.count < limit
          sums[isReported ? name : Series.other, default: .init()].add(state)
        }
        // Those that are gone hold nothing.
        for name in known.keys where sums[name] == nil { sums[name] = .init() }
        for (name, state) in sums {
          let gauges = known[name] ?? Gauges(name, factory)
          known[name] = gauges
          gauges.set(state, at: now)
        }
      }
    }
  }

  extension FollowedQueue.State {
    fileprivate mutating func add(_ other: Self) {
      executing += other.executing
      ready += other.ready
      waiting += other.waiting
      if let since = other.oldestReady { oldestReady = min(oldestReady ?? since, since) }
    }
  }
#endif
