import OpTraceText
import OpTracePageParts

/// Writes how the time of slow units was passed on, as trees of steps whose words come once each.
struct BlameTreeTables {
  private let requests: Requests
  private var rows: [Requests.StepWords: Int] = [:]
  private(set) var words: [JSONValue] = []
  /// Kind after kind. The parent is a row among those of the kind.
  private(set) var nodes = TableEncoder("blameNodes", ColumnEncoder("parent"), ColumnEncoder("words"))
  /// The slow units that were looked at, kind after kind.
  private(set) var units = TableEncoder(
    "blameUnits", ColumnEncoder("ended", .time), ColumnEncoder("length", .time), ColumnEncoder("shares"))
  /// The time at leaves, unit after unit.
  private(set) var shares = TableEncoder("blameShares", ColumnEncoder("node"), ColumnEncoder("time", .time))

  init(_ requests: Requests) { self.requests = requests }

  /// Adds a kind, an index. Returns how many units and nodes it has. O(nodes + shares).
  mutating func add(_ kind: Int) -> JSONValue {
    guard let tree = requests.blameTrees[Int32(clamping: kind)] else { return .array([.integer(0), .integer(0)]) }
    for node in tree.nodes {
      nodes.append([node.parent < 0 ? nil : Int(node.parent), row(of: requests.words(node.step))])
    }
    var counts = Array(repeating: 0, count: tree.units.count)
    for share in tree.shares {
      counts[Int(share.unit)] += 1
      shares.append([Int(share.node), Int(share.time.rounded())])
    }
    for (index, unit) in tree.units.enumerated() {
      units.append([Int(requests.units[unit].ended), Int(requests.units[unit].length), counts[index]])
    }
    return .array([.integer(tree.units.count), .integer(tree.nodes.count)])
  }

  private mutating func row(of step: Requests.StepWords) -> Int {
    if let known = rows[step] { return known }
    rows[step] = words.count
    words.append(.array([.string(step.kind), .string(step.title), .string(step.text), .string(step.culprit ?? "")]))
    return words.count - 1
  }
}
