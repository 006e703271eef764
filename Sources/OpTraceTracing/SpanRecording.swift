#if Tracing
  internal import OpTrace
  internal import Tracing

  /// What is known of a recorded span while it is open.
  ///
  /// Sendable: `state` is only touched under `lock`, in which nothing of the program's is called.
  final class SpanRecording: @unchecked Sendable {
    /// Spans share a few.
    private static let locks = (0..<16).map { _ in Lock() }

    private struct State {
      var isOpen = true
      var name: String
      var attributes: SpanAttributes = [:]
      var status: SpanStatus?
      var error: String?
      /// As it was written last.
      var written: SpanStatus?
      var attributeCount = 0
      var linkCount = 0
      var nameCount = 0
      var statusCount = 0
      var leftOut = 0

      var outcome: SpanStatus? {
        guard let status else { return error.map { SpanStatus(code: .error, message: $0) } }
        return SpanStatus(code: status.code, message: status.message ?? (status.code == .error ? error : nil))
      }
    }

    private let span: ProgramSpan
    private let lock: Lock
    private var state: State

    init(_ span: ProgramSpan, _ name: String) {
      self.span = span
      lock = Self.locks[Int(span.number) % Self.locks.count]
      state = State(name: name)
    }

    var isOpen: Bool { lock.withLock { state.isOpen } && span.isRecorded }
    var name: String { lock.withLock { state.name } }
    var attributes: SpanAttributes { lock.withLock { state.attributes } }

    func name(_ name: String) {
      let isWritten = lock.withLock {
        guard state.isOpen, state.name != name else { return false }
        state.name = name
        return Self.count(&state.nameCount)
      }
      if isWritten { span.isNamed(name) }
    }

    func set(_ new: SpanAttributes) {
      let old = lock.withLock {
        defer { state.attributes = new }
        return state.attributes
      }
      new.forEach { key, value in
        // A value may be of a type of the program's.
        guard old.isEmpty || old.get(key) != value else { return }
        let isWritten = lock.withLock {
          guard state.isOpen else { return false }
          if Self.count(&state.attributeCount) { return true }
          state.leftOut += 1
          return false
        }
        if isWritten { write(key, value) }
      }
    }

    func link(_ context: ServiceContext) {
      guard let other = context[SpanContext.self] else { return }
      let isWritten = lock.withLock {
        guard state.isOpen else { return false }
        if Self.count(&state.linkCount) { return true }
        state.leftOut += 1
        return false
      }
      if isWritten { span.links(to: other.number(beside: span), other.parent.ids) }
    }

    func mark(_ name: String) { if isOpen { span.mark(name) } }

    func error(_ error: any Error) {
      let text = "\(error)"
      change { $0.error = text }
    }

    func status(_ status: SpanStatus) { change { $0.status = status } }

    private func change(_ body: (inout State) -> Void) {
      let written: SpanStatus? = lock.withLock {
        guard state.isOpen else { return nil }
        body(&state)
        guard state.outcome != state.written, Self.count(&state.statusCount) else { return nil }
        state.written = state.outcome
        return state.written
      }
      if let written { write(written, leftOut: 0) }
    }

    func end() {
      // What the trace does not have yet.
      let (isFirst, isUnwritten, outcome, leftOut) = lock.withLock {
        defer { state.isOpen = false }
        return (state.isOpen, state.outcome != state.written || state.leftOut > 0, state.outcome, state.leftOut)
      }
      guard isFirst else { return }
      if isUnwritten { write(outcome, leftOut: leftOut) }
      span.end()
    }

    private func write(_ status: SpanStatus?, leftOut: Int) {
      let outcome: ProgramSpan.Outcome =
        switch status?.code {
        case .ok: .ok
        case .error: .error
        case nil: .unset
        }
      span.went(outcome, status?.message ?? "", leftOut: leftOut)
    }

    private func write(_ key: String, _ value: SpanAttribute) {
      switch value {
      case .string(let text): span.has(key, text, .text)
      case .int32(let number): span.has(key, String(number), .integer)
      case .int64(let number): span.has(key, String(number), .integer)
      case .double(let number): span.has(key, String(number), .real)
      case .bool(let flag): span.has(key, flag ? "true" : "false", .flag)
      case .stringConvertible(let value): span.has(key, "\(value)", .text)
      case .int32Array(let all): span.has(key, "\(all)", .text)
      case .int64Array(let all): span.has(key, "\(all)", .text)
      case .doubleArray(let all): span.has(key, "\(all)", .text)
      case .boolArray(let all): span.has(key, "\(all)", .text)
      case .stringArray(let all): span.has(key, "\(all)", .text)
      case .stringConvertibleArray(let all): span.has(key, "\(all)", .text)
      default: span.has(key, "", .text)
      }
    }

    /// False: there were too many of its sort. A span that lives long must not fill the trace.
    private static func count(_ count: inout Int) -> Bool {
      guard count < ProgramSpan.mostChanges else { return false }
      count += 1
      return true
    }
  }
#endif
