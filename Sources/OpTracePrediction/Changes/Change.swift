package import OpTraceModel

/// One thing that could be different in a run.
public struct Change: Sendable, Hashable {
  /// As an option of the command: `--limit network=4`.
  public let text: String
  package let effect: Effect

  /// What it does. Operations are given by their places in the trace.
  package enum Effect: Sendable, Hashable {
    /// Nil: as many as the system allows.
    case limit(QueueID, Int?)
    /// So many times as fast; infinite: it takes no time.
    case faster([Int32], Double)
    case move([Int32], to: QueueID)
    case merge(QueueID, into: QueueID)
    /// These no longer wait for those.
    case without([Int32], dependencies: [Int32])
    case priority([Int32], Int8)
    case processors(Int)
    case threads(Int)
  }

  package init(text: String, _ effect: Effect) { (self.text, self.effect) = (text, effect) }

  /// The words of `--priority`, with the values that Foundation gives them.
  public static let priorities: [(word: String, value: Int8)] = [
    ("veryLow", -8), ("low", -4), ("normal", 0), ("high", 4), ("veryHigh", 8),
  ]
}

/// The options that make a ``Change``.
public enum ChangeOption: String, Sendable, CaseIterable {
  /// `QUEUE=N`, `QUEUE=unlimited`: how many a queue runs at once.
  case limit
  /// `CLASS=K`, `CLASS=infinitely`: pieces of running are so many times as fast.
  case faster
  /// `CLASS=QUEUE`: operations go to another queue.
  case move
  /// `QUEUE=OTHER`: the first is emptied into the second.
  case merge
  /// `NAME>DEPENDENCY`: these no longer wait for those.
  case without
  /// `CLASS=PRIORITY`: one of ``Change/priorities``.
  case priority
  /// `N`: how many the machine has.
  case processors
  /// `N`: how many threads each pool has, which does not grow then.
  case threads
}

/// Why a change means nothing, or nothing definite. ``description`` is one sentence; names in it are as they were typed.
public enum ChangeError: Error, Sendable, Equatable {
  /// It has not the form that the option wants.
  case form(option: String, value: String, wanted: String)
  /// Nothing is called so. `known`: what there is.
  case unknown(option: String, word: String, what: String, known: Set<String>)
  /// It may mean several things, each in a form that means one.
  case ambiguous(option: String, word: String, meanings: [String])
  /// Two changes say different things of one thing.
  case contradiction(String, String)
  /// The change has no effect at all.
  case pointless(option: String, value: String, reason: String)

  /// One sentence, without a full stop. O(1).
  public var description: String {
    switch self {
    case .form(let option, let value, let wanted): "--\(option) '\(value)': \(wanted)"
    case .unknown(let option, let word, let what, _): "--\(option): no \(what) is called '\(word)'"
    case .ambiguous(let option, let word, let meanings):
      "--\(option): '\(word)' may mean " + meanings.map { "'\($0)'" }.joined(separator: " or ")
    case .contradiction(let one, let other): "'\(one)' and '\(other)' contradict each other"
    case .pointless(let option, let value, let reason): "--\(option) '\(value)': \(reason)"
    }
  }
}
