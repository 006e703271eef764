#if Tracing
  internal import Foundation
  internal import OpTrace
  public import Tracing

  /// Connects operations to distributed tracing: code that adds an operation passes on its `ServiceContext`, and each operation of a queue
  /// becomes a span.
  ///
  /// ```swift
  /// InstrumentationSystem.bootstrap(tracer)   // of any backend
  /// OperationTracing.start()
  /// ```
  ///
  /// It sees what a recorder records: operations of traced queues, or those of the whole process with
  /// `TraceRecorder.instrumentProcess()`. `Documentation/library.md` says what a span holds.
  public final class OperationTracing: Sendable {
    /// What is made of operations.
    public struct Configuration: Sendable {
      /// Whether operations become spans. If not, only the context is passed from the adding code into the operation.
      public var makesSpans = true
      /// Names of queues that are left alone, such as those by which a backend sends its spans away.
      public var ignoredQueues: Set<String> = []
      /// Makes the spans; nil: what `InstrumentationSystem` was bootstrapped with.
      public var tracer: (any Tracer)?

      /// Spans of all operations.
      public init() {}
    }

    private let observer: TracingObserver

    private init(_ configuration: Configuration) {
      observer = TracingObserver(configuration)
      Observers.add(observer)
    }

    /// Begins with operations that are added to queues from here on.
    @discardableResult
    public static func start(_ configuration: Configuration = .init()) -> OperationTracing {
      OperationTracing(configuration)
    }

    /// Ends it. Operations that are in queues already are followed to their end.
    public func stop() { Observers.remove(observer) }
  }

  /// Called by whoever adds an operation, on that thread: there its context is found.
  private final class TracingObserver: WorkObserver {
    private let configuration: OperationTracing.Configuration

    init(_ configuration: OperationTracing.Configuration) { self.configuration = configuration }

    func follow(_ live: FollowedOperation, _ operation: Operation?) -> (any WorkFollower)? {
      let context = ServiceContext.current
      guard isFollowed(live.queue) else { return nil }
      guard configuration.makesSpans else { return context.map(CarriedContext.init) }
      var tracer = configuration.tracer ?? InstrumentationSystem.tracer
      if let recording = tracer as? RecordingTracer {
        // The trace has the operation itself.
        guard let other = recording.other else { return context.map(CarriedContext.init) }
        tracer = other
      }
      return OperationSpan(live, operation, in: context ?? .topLevel, by: tracer)
    }

    private func isFollowed(_ queue: FollowedQueue) -> Bool {
      if configuration.ignoredQueues.isEmpty { return true }
      return queue.currentName.map { !configuration.ignoredQueues.contains($0) } ?? true
    }
  }

  /// The context of the code that added an operation, around the operation's code.
  private final class CarriedContext: WorkFollower {
    private let context: ServiceContext

    init(_ context: ServiceContext) { self.context = context }

    var wantsSteps: Bool { false }
    func reached(_ step: WorkStep, of live: FollowedOperation) {}
    func run(_ body: () -> Void) { ServiceContext.withValue(context, operation: body) }
  }
#endif
