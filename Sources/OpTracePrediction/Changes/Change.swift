package import OpTraceModel

/// One thing that could be different in a run.
package struct Change: Sendable, Hashable {
  /// As an option of the command: `--limit network=4`.
  package let text: String
  package let effect: Effect

  /// What it does. Operations are given by their indexes in the trace.
  package enum Effect: Sendable, Hashable {
    /// Nil: as many as the system allows.
    case limit(QueueID, Int?)
    /// So many times as fast; infinite: it takes no time.
    case faster([Int32], Double)
    /// A part of each operation's running is so many times as fast.
    case fasterPart([Part], Double)
    case move([Int32], to: QueueID)
    case merge(QueueID, into: QueueID)
    /// These no longer wait for those.
    case without([Int32], dependencies: [Int32])
    case priority([Int32], Int8)
    case processors(Int)
    case threads(Int)
  }

  /// A part of an operation's running time, from 0 to 1: what it spends in one function.
  package struct Part: Sendable, Hashable {
    /// The operation's index in the trace.
    package var operation: Int32
    package var share: Double
  }

  package init(text: String, _ effect: Effect) { (self.text, self.effect) = (text, effect) }

  /// The words of `--priority`, with the values that Foundation gives them.
  package static let priorities: [(word: String, value: Int8)] = [
    ("veryLow", -8), ("low", -4), ("normal", 0), ("high", 4), ("veryHigh", 8),
  ]
}

/// The options that make a ``Change``.
package enum ChangeOption: String, Sendable, CaseIterable {
  /// `QUEUE=N`, `QUEUE=unlimited`: how many a queue runs at once.
  case limit
  /// `CLASS=K`, `CLASS=infinitely`: pieces of running are so many times as fast; with a function that was sampled, its part of them.
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
package enum ChangeError: Error, Sendable, Equatable {
  /// It has not the form that the option wants.
  case form(option: String, value: String, wanted: String)
  /// Nothing has this name. `known`: the names that there are.
  case unknown(option: String, word: String, what: String, known: Set<String>)
  /// It may mean several things, each in a form that means one.
  case ambiguous(option: String, word: String, meanings: [String])
  /// Two changes say different things of one thing.
  case contradiction(String, String)
  /// The change has no effect at all.
  case pointless(option: String, value: String, reason: String)

  /// One sentence, without a full stop. O(1).
  package var description: String {
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

extension Change {
  /// ``text`` as one types it in a shell: `--without 'Decode>Download'`.
  package var shellText: String {
    guard let blank = text.firstIndex(of: " ") else { return text }
    let value = text[text.index(after: blank)...]
    let isPlain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+,:@%=".contains($0) }
    guard !isPlain else { return text }
    let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    return "\(text[..<blank]) '\(quoted)'"
  }

  /// For people: `queue 'network' with 4 slots`.
  package var words: String {
    let (name, value) = parts
    switch effect {
    case .limit(_, nil): return "queue '\(name)' without a limit"
    case .limit(_, 1?): return "queue '\(name)' with 1 slot"
    case .limit(_, let limit?): return "queue '\(name)' with \(limit) slots"
    case .faster(_, .infinity): return "'\(name)' in no time at all"
    case .faster(_, 2): return "'\(name)' twice as fast"
    case .faster: return "'\(name)' \(value) times as fast"
    case .fasterPart(let parts, let factor):
      let speed = factor == .infinity ? "in no time at all" : "\(value) times as fast"
      let count = parts.count == 1 ? "1 operation" : "\(parts.count) operations"
      return "function '\(name)' \(speed), in \(count)"
    case .move: return "'\(name)' in queue '\(value)'"
    case .merge: return "queue '\(name)' emptied into '\(value)'"
    case .without where text.count(where: { $0 == ">" }) > 1: return "without '\(name)>\(value)'"
    case .without: return value == "*" ? "'\(name)' without dependencies" : "'\(name)' not after '\(value)'"
    case .priority: return "'\(name)' with priority \(value)"
    case .processors(let count): return count == 1 ? "1 processor" : "\(count) processors"
    case .threads(let count): return count == 1 ? "1 thread of each pool" : "\(count) threads of each pool"
    }
  }

  /// Both sides of the sign in ``text``, as they were typed.
  private var parts: (name: String, value: String) {
    let typed = text.drop { $0 != " " }.dropFirst()
    let isEdge = if case .without = effect { true } else { false }
    guard let sign = isEdge ? typed.firstIndex(of: ">") : typed.lastIndex(of: "=") else { return (String(typed), "") }
    return (String(typed[..<sign]), String(typed[typed.index(after: sign)...]))
  }
}

extension Change {
  /// Throws where two of them say different things of one queue or operation. O(changes² + operations).
  package static func check(_ changes: [Change]) throws(ChangeError) {
    for (index, change) in changes.enumerated() {
      for other in changes[..<index] where change.contradicts(other) { throw .contradiction(other.text, change.text) }
    }
  }

  private func contradicts(_ other: Change) -> Bool {
    switch (effect, other.effect) {
    case (.limit(let one, _), .limit(let two, _)): one == two
    case (.merge(let one, _), .limit(let two, _)), (.limit(let two, _), .merge(let one, _)): one == two
    case (.merge(let one, let into), .merge(let two, let twoInto)): one == two || one == twoInto || into == two
    case (.merge(let from, _), .move(_, let to)), (.move(_, let to), .merge(let from, _)): from == to
    case (.faster(let one, _), .faster(let two, _)), (.move(let one, _), .move(let two, _)),
      (.priority(let one, _), .priority(let two, _)):
      !Set(one).isDisjoint(with: two)
    case (.processors, .processors), (.threads, .threads): true
    default: false
    }
  }
}
