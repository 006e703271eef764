package import OpTraceModel

/// Makes changes of what people type, for one trace.
package struct ChangeParser {
  private let names: NameTable
  private let operationCount: Int32
  private let trace: Trace

  /// O(operations + queues).
  package init(_ trace: Trace) {
    names = NameTable(trace)
    operationCount = Int32(clamping: trace.operations.count)
    self.trace = trace
  }

  /// The change that an option with this value means. Values are split at their last `=`; of `--without` at the one `>`
  /// where both sides name something.
  package func parse(_ option: ChangeOption, _ value: String) throws(ChangeError) -> Change {
    Change(text: "--\(option.rawValue) \(value)", try effect(option, value))
  }

  private func effect(_ option: ChangeOption, _ value: String) throws(ChangeError) -> Change.Effect {
    switch option {
    case .limit: return try limit(value)
    case .faster: return try faster(value)
    case .move:
      let (word, queue) = try halves(option, value, wanted: "expected CLASS=QUEUE")
      return .move(try one(word, for: option), to: try names.queue(queue, for: option))
    case .merge:
      let (word, other) = try halves(option, value, wanted: "expected QUEUE=OTHER")
      let (from, into) = (try names.queue(word, for: option), try names.queue(other, for: option))
      if from == into { throw .pointless(option: option.rawValue, value: value, reason: "both are the same queue") }
      return .merge(from, into: into)
    case .without: return try without(value)
    case .priority: return try priority(value)
    case .processors: return .processors(try number(option, value, upTo: 1024))
    case .threads: return .threads(try number(option, value, upTo: 4096))
    }
  }

  private func limit(_ value: String) throws(ChangeError) -> Change.Effect {
    let wanted = "expected QUEUE=N with N of at least 1, or QUEUE=unlimited"
    let (word, text) = try halves(.limit, value, wanted: wanted)
    let queue = try names.queue(word, for: .limit)
    if text == "unlimited" { return .limit(queue, nil) }
    guard let limit = Int(text), limit >= 1, limit <= Int(Int32.max) else {
      if Int(text) == 0 {
        throw .form(option: "limit", value: value, wanted: "a limit of 0 starts nothing; \(wanted)")
      }
      throw .form(option: "limit", value: value, wanted: wanted)
    }
    return .limit(queue, limit)
  }

  private func faster(_ value: String) throws(ChangeError) -> Change.Effect {
    let wanted = "expected CLASS=K or FUNCTION=K, so many times as fast: above 0, or 'infinitely'"
    let (word, text) = try halves(.faster, value, wanted: wanted)
    // What operations run is scaled whole; another function by what samples tell of it.
    let sampled = names.find(word) == nil ? SampledParts(trace) : nil
    let functions = sampled?.functions(called: word) ?? []
    if functions.count > 1 { throw .ambiguous(option: "faster", word: word, meanings: functions) }
    let parts = functions.first.flatMap { sampled?.parts(of: $0) } ?? []
    let indexes = parts.isEmpty ? try one(word, for: .faster, or: sampled?.names ?? []) : []
    var factor = Double.infinity
    if text != "infinitely" {
      guard let number = Double(text), number.isFinite, number >= 1e-6, number <= 1e9 else {
        throw .form(option: "faster", value: value, wanted: wanted)
      }
      factor = number
    }
    return parts.isEmpty ? .faster(indexes, factor) : .fasterPart(parts, factor)
  }

  private func priority(_ value: String) throws(ChangeError) -> Change.Effect {
    let words = Change.priorities.map(\.word)
    let wanted = "expected CLASS=PRIORITY, one of \(words.joined(separator: ", "))"
    let (word, text) = try halves(.priority, value, wanted: wanted)
    let indexes = try one(word, for: .priority)
    guard let priority = Change.priorities.first(where: { $0.word == text }) else {
      throw .form(option: "priority", value: value, wanted: wanted)
    }
    return .priority(indexes, priority.value)
  }

  private func without(_ value: String) throws(ChangeError) -> Change.Effect {
    let cuts = value.indices.filter { value[$0] == ">" }
    guard !cuts.isEmpty else {
      throw .form(option: "without", value: value, wanted: "expected 'NAME>DEPENDENCY', '*' on a side means all")
    }
    let sides = cuts.map { (String(value[..<$0]), String(value[value.index(after: $0)...])) }
    let fitting = sides.filter { side($0.0) != nil && side($0.1) != nil }
    guard let (left, right) = fitting.first else {
      let (left, right) = sides[0]
      let word = side(left) == nil ? left : right
      _ = try names.operations(word, for: .without)
      throw .form(option: "without", value: value, wanted: "expected 'NAME>DEPENDENCY'")
    }
    guard fitting.count == 1 else {
      throw .ambiguous(
        option: "without", word: value, meanings: fitting.map { "\($0.0)' waits for '\($0.1)" })
    }
    return .without(side(left) ?? [], dependencies: side(right) ?? [])
  }

  private func side(_ word: String) -> [Int32]? { word == "*" ? Array(0..<operationCount) : names.find(word) }

  /// The operations of one class, function or name.
  /// - Parameter others: what else is known by name.
  private func one(
    _ word: String, for option: ChangeOption, or others: Set<String> = []
  ) throws(ChangeError) -> [Int32] {
    let indexes = try names.operations(word, for: option, or: others)
    try names.checkOneClass(indexes, word: word, for: option)
    return indexes
  }

  private func number(_ option: ChangeOption, _ value: String, upTo most: Int) throws(ChangeError) -> Int {
    guard let number = Int(value), (1...most).contains(number) else {
      throw .form(option: option.rawValue, value: value, wanted: "expected a number from 1 to \(most)")
    }
    return number
  }

  private func halves(
    _ option: ChangeOption, _ value: String, wanted: String
  ) throws(ChangeError) -> (String, String) {
    guard let cut = value.lastIndex(of: "="), cut != value.startIndex, value.index(after: cut) != value.endIndex else {
      throw .form(option: option.rawValue, value: value, wanted: wanted)
    }
    return (String(value[..<cut]), String(value[value.index(after: cut)...]))
  }
}
