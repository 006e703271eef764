import OpTraceModel

/// Which parts of operations' running are computing, and which are sleeping: where the trace has what their code used of its
/// processor, and how many processors there were.
///
/// What was neither used nor slept was waiting for a processor. That is guessed: while the operations together used nearly all
/// processors, one that computes had as much less of one as there were more of them.
struct ProcessorShares {
  /// Parts of an operation's running time; what is missing to 1 was waiting for a processor.
  struct Share: Equatable {
    var computing: Double
    var sleeping: Double
  }

  /// By index; nil: not known.
  private(set) var shares: [Share?]
  var isEmpty: Bool { shares.allSatisfy { $0 == nil } }

  /// Used by more than this part of all processors, they count as busy.
  private static let busy = 0.85
  /// A thread that uses less of one does not queue for it.
  private static let leastComputing = 0.15

  /// O(n log n) for n operations.
  init(_ trace: Trace) {
    shares = Array(repeating: nil, count: trace.operations.count)
    guard let processors = trace.header.processors, processors > 0 else { return }
    var runs: [Run] = []
    for index in trace.operations.indices {
      if let run = Run(trace.operations[index], at: index) { runs.append(run) }
    }
    let crowd = Crowd(runs, processors: Double(processors), busy: Self.busy, least: Self.leastComputing)
    for run in runs {
      let length = Double(run.end - run.begin)
      let slack = max(0, length - run.used)
      let waiting = min(slack, run.used * crowd.mean(from: run.begin, to: run.end))
      shares[run.index] = Share(computing: run.used / length, sleeping: (slack - waiting) / length)
    }
  }

  /// The same steps with computing separated. The order of sleeping and computing inside of a piece is not known.
  func applied(to steps: [Workload.Step], of index: Int) -> [Workload.Step] {
    guard shares.indices.contains(index), let share = shares[index], share.computing > 0 else { return steps }
    return steps.flatMap { step -> [Workload.Step] in
      guard case .run(let time) = step else { return [step] }
      let (sleeping, computing) = (Double(time) * share.sleeping, Double(time) * share.computing)
      return [.run(Nanoseconds(sleeping)), .compute(Nanoseconds(computing))]
    }
  }

  fileprivate struct Run {
    var index: Int
    var begin: Nanoseconds
    var end: Nanoseconds
    /// Nanoseconds of a processor.
    var used: Double

    init?(_ operation: borrowing OperationRecord, at index: Int) {
      guard let time = operation.processorTime, let began = operation.executionBegan else { return nil }
      let ends = [operation.executionEnded, operation.startReturned].compactMap { $0 }
      guard let end = ends.first(where: { $0.thread == began.thread }), end.time > began.time else { return nil }
      (self.index, begin, self.end) = (index, began.time, end.time)
      used = min(Double(max(0, time)), Double(end.time - began.time))
    }

    var rate: Double { used / Double(end - begin) }
  }

  /// How many more threads computed than there were processors, over time.
  private struct Crowd {
    private var times: [Nanoseconds] = []
    /// From each of `times` on.
    private var excess: [Double] = []
    /// The integral of `excess` up to each of `times`.
    private var sums: [Double] = []

    init(_ runs: [Run], processors: Double, busy: Double, least: Double) {
      var changes: [(time: Nanoseconds, rate: Double, count: Double)] = []
      changes.reserveCapacity(2 * runs.count)
      for run in runs {
        let count: Double = run.rate >= least ? 1 : 0
        changes.append((run.begin, run.rate, count))
        changes.append((run.end, -run.rate, -count))
      }
      changes.sort { $0.time < $1.time }
      var (rate, count, sum) = (0.0, 0.0, 0.0)
      for change in changes {
        if let last = times.last, let before = excess.last { sum += before * Double(change.time - last) }
        rate += change.rate
        count += change.count
        times.append(change.time)
        sums.append(sum)
        excess.append(rate >= busy * processors ? max(0, count / processors - 1) : 0)
      }
    }

    /// O(log n).
    func mean(from begin: Nanoseconds, to end: Nanoseconds) -> Double {
      (sum(to: end) - sum(to: begin)) / Double(max(1, end - begin))
    }

    private func sum(to time: Nanoseconds) -> Double {
      var (low, high) = (0, times.count)
      while low < high {
        let middle = (low + high) / 2
        if times[middle] <= time { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? 0 : sums[low - 1] + excess[low - 1] * Double(time - times[low - 1])
    }
  }
}
