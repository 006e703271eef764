package import OpTraceDoctor
package import OpTraceModel
package import OpTraceText

/// What a capability shows of the last ten seconds in `optrace top`.
package protocol LiveSection: Sendable {
  /// Whether any event is of what it shows. Nothing is kept for it until then.
  static func isConcerned(by events: TraceEvents) -> Bool
  /// Whether a trace may have something that it shows.
  static func isConcerned(by trace: Trace) -> Bool

  /// Nothing.
  init()
  /// - Parameters:
  ///   - trace: with names for its code. Work that was over before the window may be missing.
  ///   - window: at most the last ten seconds, and only such from which no records are missing.
  init(of trace: Trace, within window: ClosedRange<Nanoseconds>)

  /// Whether it shows nothing.
  var isEmpty: Bool { get }
  /// For terminals. Those without rows are left out.
  func tables(_ filter: LiveFilter) -> [FittedTable]
  /// For `top --json`, whose keys are a contract: always the same ones.
  var members: [JSONValue.Member] { get }
}

/// The sections that a program shows besides queues and what they run: those of each capability that it has, added to each other.
package struct SectionSet: Sendable {
  private let types: [any LiveSection.Type]

  /// - Parameter types: in the order in which they are shown.
  package init(_ types: [any LiveSection.Type]) { self.types = types }

  /// Both: those on the left come first.
  package static func + (left: SectionSet, right: SectionSet) -> SectionSet { SectionSet(left.types + right.types) }

  /// All, with nothing in them.
  package var empty: [any LiveSection] { types.map { $0.init() } }

  func areConcerned(by events: TraceEvents) -> Bool { types.contains { $0.isConcerned(by: events) } }

  func sections(of trace: Trace, within window: ClosedRange<Nanoseconds>) -> [any LiveSection] {
    types.map { $0.isConcerned(by: trace) ? $0.init(of: trace, within: window) : $0.init() }
  }
}

extension SectionSet: Contribution {
  /// The sections of all of these, in their order.
  package init(of capabilities: [Capability]) { self = capabilities.all(SectionSet.self).reduce(SectionSet([]), +) }
}

/// The text that rows have to contain, as it is typed.
package struct LiveFilter: Sendable {
  /// Empty: all rows are shown.
  let text: String

  /// Whether a row with these names is shown.
  package func matches(_ names: [String]) -> Bool {
    text.isEmpty || names.contains { $0.lowercased().contains(text.lowercased()) }
  }
}
