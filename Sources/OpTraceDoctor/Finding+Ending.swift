import OpTraceKernel

/// Says who could end what is stuck: the last part of the doctor's answer.
extension Finding {
  /// Who could end it. Each rule says so where it makes its finding, because it knows why.
  package enum Ending: Hashable, Sendable {
    /// There is nothing to end: it is wrong or slow, but it works.
    case itWorks
    /// The trace does not show who could.
    case unknown
    /// It is a cycle: each waits for the next, and the last for the first.
    case cycle
    /// Only this, such as `resume()`.
    case onlyBy(String)
    /// As this sentence says, with its full stop.
    case sentence(String)
  }

  /// One sentence with its full stop; empty if there is nothing to say, as for findings about slowness or misuse.
  public var ending: String {
    guard isStuck, severity != .note else { return "" }
    return switch endedBy {
    case .itWorks, .unknown: ""
    case .cycle: severity == .error ? "Nothing can end it." : "Only something outside of this cycle can end it."
    case .onlyBy(let what): "Only \(what) ends it."
    case .sentence(let sentence): sentence
    }
  }

  /// Whether its rule reports something stuck.
  package var isStuck: Bool { symptom == .stuck }
  /// Whether it tells of a cycle of waits.
  package var isDeadlock: Bool { isStuck && endedBy == .cycle }
}
