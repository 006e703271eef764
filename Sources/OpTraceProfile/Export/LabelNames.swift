/// Bounds how many names a label can have while a program runs: a receiver keeps a series for each, and a program may
/// name a queue after each connection.
struct LabelNames: Sendable {
  enum Label: CaseIterable {
    case work, queue, request, thread
  }

  /// What names beyond the limit are called.
  static let other = "(other)"

  private let most: Int
  private var known: [Label: Set<String>] = [:]
  /// How many samples' names were replaced.
  private(set) var replaced = 0

  init(most: Int = 500) { self.most = most }

  /// The name on one line, or ``other`` if there are too many. O(length).
  mutating func name(_ text: String, of label: Label) -> String {
    let name = ProfileWords.name(text)
    if known[label]?.contains(name) == true { return name }
    guard known[label]?.count ?? 0 < most else {
      replaced += 1
      return Self.other
    }
    known[label, default: []].insert(name)
    return name
  }
}
