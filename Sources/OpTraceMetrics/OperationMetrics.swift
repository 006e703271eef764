#if Metrics
  public import CoreMetrics
  internal import Dispatch
  internal import Foundation
  internal import OpTrace

  /// Measures queues: how many operations execute, are ready and wait, for how long the oldest has been ready, and by queue and class how
  /// long operations waited and ran.
  ///
  /// ```swift
  /// MetricsSystem.bootstrap(factory)   // of any backend
  /// let metrics = OperationMetrics.start()
  /// metrics.refresh()                  // whenever somebody asks; or metrics.refresh(every: 5)
  /// ```
  ///
  /// It sees what a recorder records: operations of traced queues, or those of the whole process with
  /// `TraceRecorder.instrumentProcess()`. `Documentation/library.md` lists the metrics.
  ///
  /// Sendable: `timer` is only touched under `lock`; the rest is constant.
  public final class OperationMetrics: @unchecked Sendable {
    /// What is measured.
    public struct Configuration: Sendable {
      /// How many pairs of queue name and class are counted separately, and how many queue names. All that come later count as
      /// queue "other", class "other".
      public var mostPairs = 200
      /// Makes the metrics; nil: what `MetricsSystem` was bootstrapped with.
      public var factory: (any MetricsFactory)?

      /// At most 200 pairs, sent to the process's own backend.
      public init() {}
    }

    private let waits: WaitObserver
    private let gauges: QueueGauges
    private let lock = NSLock()
    private var timer: (any DispatchSourceTimer)?

    private init(_ configuration: Configuration) {
      let factory = configuration.factory ?? MetricsSystem.factory
      let limit = max(0, configuration.mostPairs)
      waits = WaitObserver(limit: limit, factory)
      gauges = QueueGauges(limit: limit, factory)
    }

    /// Begins with operations that are added to queues from here on.
    public static func start(_ configuration: Configuration = .init()) -> OperationMetrics {
      let metrics = OperationMetrics(configuration)
      Observers.add(metrics.waits)
      return metrics
    }

    /// Ends it. Operations that are in queues already are counted to their end.
    public func stop() {
      Observers.remove(waits)
      lock.withLock {
        timer?.cancel()
        timer = nil
      }
    }

    /// Reads all queues and sets the gauges. Waits are recorded when they end, without this call.
    public func refresh() { gauges.refresh() }

    /// Does so regularly until ``stop()``, on a thread that has nothing else to do.
    /// - Parameter seconds: at least a thousandth.
    public func refresh(every seconds: Double) {
      let interval = DispatchTimeInterval.milliseconds(max(1, Int(min(seconds, 1e6) * 1000)))
      let new = DispatchSource.makeTimerSource()
      new.schedule(deadline: .now(), repeating: interval)
      new.setEventHandler { [weak self] in self?.refresh() }
      lock.withLock {
        timer?.cancel()
        timer = new
      }
      new.activate()
    }
  }
#endif
