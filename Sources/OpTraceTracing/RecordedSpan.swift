#if Tracing
  internal import OpTrace
  public import Tracing

  /// A span of a ``RecordingTracer``: in OpTrace's trace, in that of the other tracer, in both, or in none.
  public struct RecordedSpan: Tracing.Span {
    /// For what belongs to the span: `withSpan` makes it the current one.
    public let context: ServiceContext
    /// Nil: nobody records.
    private let recorded: SpanRecording?
    /// The other tracer's.
    private let other: (any Tracing.Span)?
    /// Where neither is there.
    private let unrecordedName: String

    init(_ name: String, in context: ServiceContext, _ recorded: SpanRecording?, _ other: (any Tracing.Span)?) {
      self.context = context
      self.recorded = recorded
      self.other = other
      unrecordedName = name
    }

    /// Whether anybody keeps what it is told.
    public var isRecording: Bool { recorded?.isOpen ?? false || other?.isRecording ?? false }

    /// Its name.
    public var operationName: String {
      get { recorded?.name ?? other?.operationName ?? unrecordedName }
      nonmutating set {
        recorded?.name(newValue)
        other?.operationName = newValue
      }
    }

    /// At most 64 changes are recorded, each cut to 256 bytes; the trace says how many more there were.
    public var attributes: SpanAttributes {
      get { recorded?.attributes ?? other?.attributes ?? [:] }
      nonmutating set {
        recorded?.set(newValue)
        other?.attributes = newValue
      }
    }

    /// The last one counts.
    public func setStatus(_ status: SpanStatus) {
      recorded?.status(status)
      other?.setStatus(status)
    }

    /// A mark in the trace, with the event's name.
    public func addEvent(_ event: SpanEvent) {
      recorded?.mark(event.name)
      other?.addEvent(event)
    }

    /// Its status becomes an error with this text, unless another is set.
    public func recordError<Instant: TracerInstant>(
      _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
      recorded?.error(error)
      other?.recordError(error, attributes: attributes, at: instant())
    }

    /// At most 64 are recorded.
    public func addLink(_ link: SpanLink) {
      recorded?.link(link.context)
      other?.addLink(link)
    }

    /// Ends it. What comes after that is not recorded.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
      recorded?.end()
      other?.end(at: instant())
    }
  }
#endif
