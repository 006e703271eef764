import OpTraceModel

/// Which operations' completion blocks callbacks are, where the trace does not say.
///
/// Completion blocks queue for threads in the order of finishing. So where callbacks that do the same thing are as many as the operations of a
/// class, and none comes before its operation's finish, the n-th is of the n-th. Else a callback is of the operation that
/// finished last before.
struct CompletionCauses {
  private var causes: [Int: (time: Nanoseconds, job: Int32)] = [:]

  /// O(n log n), and O(n) for each pair of a class and a sort of callback that are as many.
  init(_ trace: Trace, _ finishes: FinishOrder, _ found: [Callbacks.Found]) {
    var sorts: [String: [Int]] = [:]
    for index in found.indices where found[index].finishing == nil && found[index].completing == nil {
      if let last = finishes.last(before: found[index].at.time) { causes[index] = last }
      sorts[Self.sort(of: found[index], in: trace), default: []].append(index)
    }
    guard !sorts.isEmpty else { return }
    var byKind: [String: [(time: Nanoseconds, job: Int32)]] = [:]
    for finish in finishes.all { byKind[trace.operations[Int(finish.job)].kind, default: []].append(finish) }
    for indexes in sorts.values {
      let sorted = indexes.sorted { found[$0].at.time < found[$1].at.time }
      let fitting = byKind.values.filter { list in
        list.count == sorted.count && zip(sorted, list).allSatisfy { found[$0].at.time >= $1.time }
      }
      // Of several classes the one whose ends are nearest.
      let delays = fitting.map { list in
        zip(sorted, list).reduce(0.0) { $0 + Double(span($1.1.time, found[$1.0].at.time)) }
      }
      guard let least = delays.min(), let best = delays.firstIndex(of: least) else { continue }
      for (index, finish) in zip(sorted, fitting[best]) { causes[index] = finish }
    }
  }

  func cause(of index: Int) -> (time: Nanoseconds, job: Int32)? { causes[index] }

  /// Its first act, by the class of the operation in it.
  private static func sort(of callback: Callbacks.Found, in trace: Trace) -> String {
    for step in callback.steps {
      switch step {
      case .enqueue(let jobs): return "enqueue " + trace.operations[Int(jobs.lowerBound)].kind
      case .cancel(let job): return "cancel " + trace.operations[Int(job)].kind
      case .suspend(let queue): return "suspend \(queue)"
      case .resume(let queue): return "resume \(queue)"
      case .limit(let queue, _): return "limit \(queue)"
      case .signal(let object): return "signal \(object)"
      default: break
      }
    }
    return ""
  }
}
