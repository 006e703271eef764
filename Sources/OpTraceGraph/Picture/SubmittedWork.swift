import OpTraceAnalysis
import OpTraceModel
import OpTraceText

/// Which work that is no operation came of which operation: what its code submitted, what that submitted, and so on.
struct SubmittedWork {
  private let trace: Trace
  /// By index after the operations: the index of the operation; -1: none.
  private var rootOfOther: [Int32] = []
  /// By operation's index, then by kind.
  private var counts: [Int: [WorkKind: (all: Int, open: Int)]] = [:]

  /// O(n · log) for n blocks and tasks.
  init(_ trace: Trace) {
    self.trace = trace
    let first = trace.operations.count
    // -2: not known yet, -3: on the way; a cycle of a damaged trace has no root.
    rootOfOther = [Int32](repeating: -2, count: trace.workCount - first)
    for start in rootOfOther.indices where rootOfOther[start] == -2 {
      var way: [Int] = []
      var root: Int32 = -1
      var at = start
      while true {
        guard rootOfOther[at] == -2 else {
          root = max(rootOfOther[at], -1)
          break
        }
        rootOfOther[at] = -3
        way.append(at)
        guard let next = trace.submitter(ofWorkAt: first + at).flatMap(trace.workIndex(of:)) else { break }
        if next < first {
          root = Int32(next)
          break
        }
        at = next - first
      }
      for index in way { rootOfOther[index] = root }
    }
    for (index, root) in rootOfOther.enumerated() where root >= 0 {
      let isOpen = !trace.isOver(workAt: first + index)
      var known = counts[Int(root), default: [:]][trace.kind(ofWorkAt: first + index)] ?? (0, 0)
      known = (known.all + 1, known.open + (isOpen ? 1 : 0))
      counts[Int(root), default: [:]][trace.kind(ofWorkAt: first + index)] = known
    }
  }

  /// The index of the operation that this is, or that it came from; nil: none. O(log n).
  func root(of id: WorkID) -> Int? { trace.workIndex(of: id).flatMap(root(ofWorkAt:)) }

  func root(ofWorkAt index: Int) -> Int? {
    guard index >= trace.operations.count else { return index }
    let root = rootOfOther[index - trace.operations.count]
    return root >= 0 ? Int(root) : nil
  }

  /// `3 blocks, 2 tasks, 1 not over`, of these kinds; nil: nothing.
  func text(at index: Int, of kinds: [WorkKind] = WorkKind.allCases) -> String? {
    guard let own = counts[index] else { return nil }
    let known = kinds.compactMap { kind in own[kind].map { (kind, $0) } }
    guard !known.isEmpty else { return nil }
    let open = known.reduce(0) { $0 + $1.1.open }
    return (known.map { counted($1.all, $0.word) } + (open > 0 ? ["\(grouped(open)) not over"] : []))
      .joined(separator: ", ")
  }
}
