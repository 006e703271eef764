import OpTraceModel

/// Chooses what the trace does not say: the values with which the replay comes nearest. Where several come as near, all are
/// kept.
struct Calibration {
  /// The likely one first.
  private let likely: [MachineSettings]
  let outcome: MachineOutcome
  private let processors: Int?
  private(set) var assumptions: Set<Assumption> = []

  /// Dispatch checks a new pool for the first time in a race with the threads that begin; on a busy machine it comes late.
  private static let firstChecks: [Nanoseconds?] = [200_000, nil, soon, 30_000_000]
  private static let soon: Nanoseconds? = 1_000_000

  private static let manyOperations = 20_000

  /// In effect no limit.
  private static let many = 100_000

  init(_ trace: Trace, _ workload: Workload, processors known: Int?) {
    processors = known
    let seen = PoolThreads.before(second: 1, trace)
    let counts = Set([known, seen, Self.many].compactMap { $0 }).filter { $0 >= 1 }.sorted()
    // In a long run the race at its beginning decides little.
    let checks = workload.jobs.count > Self.manyOperations ? Self.firstChecks.prefix(1) : Self.firstChecks[...]
    let candidates = counts.flatMap { count in
      checks.map { MachineSettings(poolThreads: count, firstCheck: $0, processors: known) }
    }
    let tried = candidates.map { ($0, Self.error(trace, Self.run(workload, $0))) }
    let best = tried.map(\.1).min() ?? 0
    // Within a part of a thousand the trace does not decide.
    let near = tried.filter { $0.1 <= best + 0.002 }
    // The machine's known size counts more than what this run needed; where it is not known, threads are not short.
    let chosen = near.first { $0.0.poolThreads == known } ?? near.last ?? tried[0]
    outcome = Self.run(workload, chosen.0)
    var likely = [chosen.0]
    if let known {
      // The next run may have another outcome of the race for a thread more.
      likely += candidates.filter { $0.poolThreads == known && $0 != chosen.0 }
    } else {
      likely += near.map(\.0).filter { $0 != chosen.0 }
      if near.contains(where: { $0.0.poolThreads != chosen.0.poolThreads }) { assumptions.insert(.processors) }
    }
    self.likely = likely
  }

  private static func run(_ workload: Workload, _ settings: MachineSettings) -> MachineOutcome {
    var machine = Machine(workload, settings)
    return machine.run()
  }

  /// The mean distance of the finishes as a part of the wall time.
  private static func error(_ trace: Trace, _ outcome: MachineOutcome) -> Double {
    var sum = 0.0
    var count = 0.0
    for index in outcome.finished.indices {
      guard let finished = trace.operations[index].finished?.time else { continue }
      guard outcome.finished[index] != MachineOutcome.never else { return .infinity }
      sum += abs(Double(finished) - Double(outcome.finished[index]))
      count += 1
    }
    guard count > 0, let activity = outcome.wall, activity > 0 else { return 0 }
    return sum / count / Double(activity)
  }

  /// All that a prediction is to be tried with, the likely one first.
  func settings(for changes: [Change]) -> [MachineSettings] {
    for change in changes {
      if case .threads(let count) = change.effect {
        return [MachineSettings(poolThreads: count, poolGrows: false, processors: processors)]
      }
    }
    for change in changes {
      guard case .processors(let count) = change.effect else { continue }
      // With one processor the first check finds no thread running nearly always.
      let checks = count == 1 ? [Self.soon] + Self.firstChecks.filter { $0 != Self.soon } : Self.firstChecks
      return checks.map { MachineSettings(poolThreads: count, firstCheck: $0, processors: count) }
    }
    return likely
  }
}

/// How many threads of a pool ran operations at once.
enum PoolThreads {
  /// The most of any quality of service, in the first `second` after the first began: later a pool may have grown. O(n log n).
  static func before(second: Int64, _ trace: Trace) -> Int {
    var moments: [Quality: [(time: Nanoseconds, step: Int)]] = [:]
    var qualities: [QueueID: Quality] = [:]
    for queue in trace.queues where !queue.isMain { qualities[queue.id] = queue.quality }
    for index in trace.operations.indices {
      guard let queue = trace.operations[index].queue, let quality = qualities[queue],
        let started = trace.operations[index].started
      else { continue }
      var returned = started.time
      for stamp in [
        trace.operations[index].startReturned, trace.operations[index].executionEnded, trace.operations[index].finished,
      ] {
        if let stamp, stamp.thread == started.thread { returned = max(returned, stamp.time) }
      }
      moments[quality, default: []].append((started.time, 1))
      moments[quality, default: []].append((returned, -1))
    }
    var most = 1
    for list in moments.values {
      let sorted = list.sorted { ($0.time, $0.step) < ($1.time, $1.step) }
      guard let first = sorted.first?.time else { continue }
      var count = 0
      for moment in sorted where span(first, moment.time) < second * 1_000_000_000 {
        count += moment.step
        most = max(most, count)
      }
    }
    return most
  }
}
