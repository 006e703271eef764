#if Tracing
  internal import Foundation
  internal import OpTrace
  internal import Tracing

  /// An operation as a span: from its being added to its end.
  final class OperationSpan: WorkFollower {
    private let span: any Span
    /// When it began, by both clocks: a wall clock that is set meanwhile does not make it longer.
    private let wall: UInt64
    private let monotonic: UInt64

    init(_ live: FollowedOperation, _ operation: Operation?, in context: ServiceContext, by tracer: any Tracer) {
      let start = DefaultTracerClock.now
      wall = start.nanosecondsSinceEpoch
      monotonic = Observers.now
      let className = FollowedOperation.className(of: operation)
      let function = FollowedOperation.function(of: operation)
      let source = FollowedOperation.source(of: operation)
      span = tracer.startSpan(
        FollowedOperation.title(of: operation), context: context, ofKind: .internal, at: start,
        function: function ?? "", file: source?.file ?? "", line: source?.line ?? 0)
      span.updateAttributes {
        $0["optrace.id"] = Int64(live.number)
        $0["optrace.class"] = className
        $0["optrace.queue"] = live.queue.currentName
        $0["code.function.name"] = function
        $0["code.file.path"] = source?.file
        $0["code.line.number"] = source.map { Int64($0.line) }
      }
    }

    var wantsSteps: Bool { true }
    func run(_ body: () -> Void) { ServiceContext.withValue(span.context, operation: body) }

    func reached(_ step: WorkStep, of live: FollowedOperation) {
      switch step {
      // Perhaps under the queue's lock: its time is set at the end.
      case .ready, .began: break
      case .started(let slot):
        for dependency in live.dependencies { link(to: dependency, "dependency") }
        if let slot { link(to: slot, "slot") }
        span.attributes["thread.id"] = Int64(TraceRecorder.threadID)
      case .cancelled: span.attributes["optrace.cancelled"] = true
      case .finished(let error): end(live, error)
      case .dropped:
        span.attributes["optrace.dropped"] = true
        end(live, nil)
      }
    }

    private func link(to other: FollowedOperation, _ kind: String) {
      guard let other = other.follower(OperationSpan.self) else { return }
      span.addLink(SpanLink(context: other.span.context, attributes: ["optrace.link": .string(kind)]))
    }

    private func end(_ live: FollowedOperation, _ error: String?) {
      let progress = live.currentProgress
      for (name, time) in [("ready", progress.ready), ("began", progress.began)] {
        if let time { span.addEvent(SpanEvent(name: name, at: instant(time))) }
      }
      if let error { span.setStatus(SpanStatus(code: .error, message: error)) }
      span.end(at: instant(progress.ended ?? Observers.now))
    }

    private func instant(_ time: UInt64) -> DefaultTracerClock.Timestamp {
      DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: wall + (time > monotonic ? time - monotonic : 0))
    }
  }
#endif
