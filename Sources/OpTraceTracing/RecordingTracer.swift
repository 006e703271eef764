#if Tracing
  internal import OpTrace
  public import Tracing

  /// Writes the program's own spans into the trace: names, attributes, status, links, parents, and the ids by which other processes
  /// know them.
  ///
  /// ```swift
  /// InstrumentationSystem.bootstrap(RecordingTracer())
  /// InstrumentationSystem.bootstrap(RecordingTracer(beside: tracer))   // of any backend
  /// ```
  ///
  /// It writes to the recorder that records the process: under `optrace record`, ``TraceRecorder/default``, or one with
  /// `instrumentProcess()`. Without one it does nothing. `Documentation/library.md` says what a span holds.
  public final class RecordingTracer: Tracer {
    /// A span of this tracer.
    public typealias Span = RecordedSpan

    let other: (any Tracer)?

    /// - Parameter other: is given each span, too. What it injects wins; a `traceparent` of ours is only added where it sets none.
    public init(beside other: (any Tracer)? = nil) {
      self.other = other
      // Where the environment asks for a recorder, it begins here and not with the first span.
      _ = ProgramSpan.isWanted
    }

    /// Begins a span, inside of the one that `context` has. The trace has the time of the call, whatever `instant` says.
    public func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
      let context = context()
      let beside = other?.startSpan(
        operationName, context: context, ofKind: kind, at: instant(), function: function, file: fileID, line: line)
      var inside = beside?.context ?? context
      guard let span = ProgramSpan(operationName) else {
        return RecordedSpan(operationName, in: inside, nil, beside)
      }
      let outer = context[SpanContext.self]
      var parent = outer?.parent ?? TraceParent(ids: span.ids)
      parent.ids.span = span.ids.span
      // By which it is known to the other's backend.
      if beside != nil, let known = theirs(inside) { parent.ids = known.ids }
      let number = outer?.number(beside: span) ?? 0
      let remote = number == 0 ? outer?.parent.ids.span : nil
      span.belongs(parent.ids, parent: number, remote: remote, kind: Self.number(of: kind))
      inside[SpanContext.self] = SpanContext(parent, span)
      return RecordedSpan(operationName, in: inside, SpanRecording(span, operationName), beside)
    }

    private static func number(of kind: SpanKind) -> UInt8 {
      switch kind {
      case .internal: 0
      case .server: 1
      case .client: 2
      case .producer: 3
      case .consumer: 4
      }
    }

    // MARK: Context

    /// Takes `traceparent` and `tracestate` from what came in.
    public func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
      other?.extract(carrier, into: &context, using: extractor)
      guard ProgramSpan.isWanted, let text = extractor.extract(key: TraceParent.key, from: carrier) else { return }
      let state = extractor.extract(key: TraceParent.stateKey, from: carrier)
      guard let parent = TraceParent(text, state: state) else { return }
      context[SpanContext.self] = SpanContext(parent, nil)
    }

    /// Gives them to what goes out.
    public func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
      guard ProgramSpan.isWanted, let own = context[SpanContext.self] else {
        other?.inject(context, into: &carrier, using: injector)
        return
      }
      let theirs = injected(context)
      for field in theirs.all { injector.inject(field.value, forKey: field.key, into: &carrier) }
      guard !theirs.has(TraceParent.key) else { return }
      injector.inject(own.parent.text, forKey: TraceParent.key, into: &carrier)
      guard let state = own.parent.state, !theirs.has(TraceParent.stateKey) else { return }
      injector.inject(state, forKey: TraceParent.stateKey, into: &carrier)
    }

    /// What the other tracer injects.
    private func injected(_ context: ServiceContext) -> InjectedFields {
      var fields = InjectedFields()
      other?.inject(context, into: &fields, using: FieldInjector())
      return fields
    }

    private func theirs(_ context: ServiceContext) -> TraceParent? {
      injected(context)[TraceParent.key].flatMap { TraceParent($0) }
    }

    private struct FieldInjector: Injector {
      func inject(_ value: String, forKey key: String, into carrier: inout InjectedFields) {
        carrier.append(key, value)
      }
    }

    /// Asks the other tracer to send its spans. Ours are in the trace at once.
    @available(*, deprecated)
    public func forceFlush() { other?.forceFlush() }
  }

  /// The span that is current, or a caller's in another process.
  struct SpanContext: ServiceContextKey, Sendable {
    typealias Value = SpanContext
    static var nameOverride: String? { "optrace-span" }

    let parent: TraceParent
    /// Nil: it is in another process.
    private let span: ProgramSpan?

    init(_ parent: TraceParent, _ span: ProgramSpan?) {
      self.parent = parent
      self.span = span
    }

    /// Its number in the trace of the other one; 0: it has none there.
    func number(beside other: ProgramSpan) -> UInt32 {
      guard let span, span.isBeside(other) else { return 0 }
      return span.number
    }
  }
#endif
