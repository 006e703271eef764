extension Change {
  /// ``text`` as one types it in a shell: `--without 'Decode>Download'`.
  public var shellText: String {
    guard let blank = text.firstIndex(of: " ") else { return text }
    let value = text[text.index(after: blank)...]
    let isPlain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+,:@%=".contains($0) }
    guard !isPlain else { return text }
    let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    return "\(text[..<blank]) '\(quoted)'"
  }

  /// For people: `queue 'network' with 4 slots`.
  public var words: String {
    let (name, value) = parts
    switch effect {
    case .limit(_, nil): return "queue '\(name)' without a limit"
    case .limit(_, 1?): return "queue '\(name)' with 1 slot"
    case .limit(_, let limit?): return "queue '\(name)' with \(limit) slots"
    case .faster(_, .infinity): return "'\(name)' in no time at all"
    case .faster(_, 2): return "'\(name)' twice as fast"
    case .faster: return "'\(name)' \(value) times as fast"
    case .move: return "'\(name)' in queue '\(value)'"
    case .merge: return "queue '\(name)' emptied into '\(value)'"
    case .without where text.count(where: { $0 == ">" }) > 1: return "without '\(name)>\(value)'"
    case .without: return value == "*" ? "'\(name)' without dependencies" : "'\(name)' not after '\(value)'"
    case .priority: return "'\(name)' with priority \(value)"
    case .processors(let count): return count == 1 ? "1 processor" : "\(count) processors"
    case .threads(let count): return count == 1 ? "1 thread of each pool" : "\(count) threads of each pool"
    }
  }

  /// What stands on both sides of the sign in ``text``, as it was typed.
  private var parts: (name: String, value: String) {
    let typed = text.drop { $0 != " " }.dropFirst()
    let isEdge = if case .without = effect { true } else { false }
    guard let sign = isEdge ? typed.firstIndex(of: ">") : typed.lastIndex(of: "=") else { return (String(typed), "") }
    return (String(typed[..<sign]), String(typed[typed.index(after: sign)...]))
  }
}
