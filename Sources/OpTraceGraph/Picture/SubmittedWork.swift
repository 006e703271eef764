import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Which blocks and tasks came from which operation: what its code submitted, what that submitted in turn, and so on.
struct SubmittedWork {
  private let trace: Trace
  /// The index of the operation, by index in the trace's list of work. -1: none. Empty if all work is operations.
  private var roots: [Int32] = []
  /// The counts, by index of the operation, then by kind.
  private var counts: [Int: [WorkKind: (all: Int, open: Int)]] = [:]

  /// Finds the roots of all other work. O(n · log) for n blocks and tasks.
  init(_ trace: Trace) {
    self.trace = trace
    let others = WorkKind.others(in: trace)
    guard !others.isEmpty else { return }
    // -2: not known yet; -3: on the current way. A cycle in a damaged trace has no root.
    roots = [Int32](repeating: -2, count: trace.workCount)
    for start in others where roots[start] == -2 {
      var way: [Int] = []
      var root: Int32 = -1
      var at = start
      while true {
        guard roots[at] == -2 else {
          root = max(roots[at], -1)
          break
        }
        roots[at] = -3
        way.append(at)
        guard let next = trace.submitter(ofWorkAt: at).flatMap(trace.workRow(of:)) else { break }
        if case .operation(let row) = next {
          root = Int32(row)
          break
        }
        at = next.index(in: trace)
      }
      for index in way { roots[index] = root }
    }
    for index in others where roots[index] >= 0 {
      let isOpen = !trace.isOver(workAt: index)
      var known = counts[Int(roots[index]), default: [:]][trace.kind(ofWorkAt: index)] ?? (0, 0)
      known = (known.all + 1, known.open + (isOpen ? 1 : 0))
      counts[Int(roots[index]), default: [:]][trace.kind(ofWorkAt: index)] = known
    }
  }

  /// Returns the index of the operation that this is or that it came from. Nil: none. O(log n).
  func root(of id: WorkID) -> Int? { trace.workIndex(of: id).flatMap(root(ofWorkAt:)) }

  func root(ofWorkAt index: Int) -> Int? {
    if case .operation(let row) = trace.row(ofWorkAt: index) { return row }
    return roots[index] >= 0 ? Int(roots[index]) : nil
  }

  /// Returns text like `3 blocks, 2 tasks, 1 not over` for these kinds. Nil: nothing.
  func text(at index: Int, of kinds: [WorkKind] = WorkKind.allCases) -> String? {
    guard let own = counts[index] else { return nil }
    let known = kinds.compactMap { kind in own[kind].map { (kind, $0) } }
    guard !known.isEmpty else { return nil }
    let open = known.reduce(0) { $0 + $1.1.open }
    return (known.map { counted($1.all, $0.word) } + (open > 0 ? ["\(grouped(open)) not over"] : []))
      .joined(separator: ", ")
  }
}
