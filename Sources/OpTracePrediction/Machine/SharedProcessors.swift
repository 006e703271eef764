import OpTraceModel

/// Threads that compute share the processors: equal parts for all, and no thread more than one (processor sharing:
/// L. Kleinrock, *Time-shared systems*, 1967).
struct SharedProcessors {
  private let count: Double
  /// The strands that compute, and the processor time that each has left, in nanoseconds; as many as there are threads.
  private var tasks: [(strand: Int32, left: Double)] = []
  private var clock: Nanoseconds = 0
  /// Changes with who computes: what was predicted before is void.
  private(set) var era: Int32 = 0

  init(count: Int) { self.count = Double(max(1, count)) }

  /// How much of a processor each has.
  private var rate: Double { tasks.isEmpty ? 1 : min(1, count / Double(tasks.count)) }

  /// O(threads that compute).
  mutating func begin(_ strand: Int32, _ work: Nanoseconds, at time: Nanoseconds) {
    advance(to: time)
    tasks.append((strand, Double(work)))
    era &+= 1
  }

  /// Takes out who is through. O(threads that compute).
  mutating func takeFinished(at time: Nanoseconds) -> [Int32] {
    advance(to: time)
    // At the end of all time nothing goes on.
    func isOver(_ left: Double) -> Bool { left < 0.5 || time == .max }
    let finished = tasks.filter { isOver($0.left) }.map(\.strand)
    guard !finished.isEmpty else { return [] }
    tasks.removeAll { isOver($0.left) }
    era &+= 1
    return finished
  }

  /// When the next one is through, if nobody comes or goes; nil: nobody computes.
  var next: Nanoseconds? {
    guard let least = tasks.lazy.map(\.left).min() else { return nil }
    let time = (max(0, least) / rate).rounded(.up)
    guard time < Double(Int64.max) / 4 else { return .max }
    let (sum, overflow) = clock.addingReportingOverflow(Nanoseconds(time))
    return overflow ? .max : sum
  }

  private mutating func advance(to time: Nanoseconds) {
    let done = Double(max(0, time - clock)) * rate
    for index in tasks.indices { tasks[index].left -= done }
    clock = max(clock, time)
  }
}
