import OpTraceModel

extension Workload {
  /// The run as it would have been programmed with these changes. O(steps + operations) for each.
  package func applying(_ changes: [Change]) -> Workload {
    var result = self
    // Queues first: what is moved goes to where it ends up.
    for change in changes { result.apply(change.effect) }
    return result
  }

  private mutating func apply(_ effect: Change.Effect) {
    switch effect {
    case .limit(let id, let limit):
      guard let queue = index(of: id) else { return }
      queues[Int(queue)].limit = limit
      // The program's own settings would undo it.
      drop { if case .limit(queue, _) = $0 { true } else { false } }
    case .faster(let indexes, let factor):
      scale(Dictionary(indexes.map { ($0, 1 / factor) }, uniquingKeysWith: { first, _ in first }))
    case .fasterPart(let parts, let factor):
      scale(
        Dictionary(
          parts.map { ($0.operation, 1 - $0.share * (1 - 1 / factor)) }, uniquingKeysWith: { first, _ in first }))
    case .move(let indexes, let id):
      guard let queue = index(of: id) else { return }
      for job in indexes where jobs[Int(job)].queue != nil { move(job, to: queue) }
    case .merge(let from, let into):
      guard let queue = index(of: from), let other = index(of: into) else { return }
      for job in jobs.indices where jobs[job].queue == queue { move(Int32(clamping: job), to: other) }
      drop {
        switch $0 {
        case .limit(queue, _), .suspend(queue), .resume(queue): true
        default: false
        }
      }
      for index in steps.indices where steps[index] == .awaitQueue(queue) { steps[index] = .awaitQueue(other) }
    case .without(let indexes, let dependencies):
      let (waiting, awaited) = (Set(indexes), Set(dependencies))
      edges.removeAll { waiting.contains($0.to) && awaited.contains($0.from) }
    case .priority(let indexes, let priority): for job in indexes { jobs[Int(job)].priority = priority }
    case .processors, .threads: break
    }
  }

  private func index(of queue: QueueID) -> Int32? {
    queues.firstIndex { $0.id == queue }.map { Int32(clamping: $0) }
  }

  private mutating func move(_ job: Int32, to queue: Int32) {
    jobs[Int(job)].queue = queue
    if let body = jobs[Int(job)].body { strands[Int(body)].executor = .pooled(queues[Int(queue)].pool) }
  }

  private mutating func drop(_ isDropped: (Step) -> Bool) {
    for index in steps.indices where isDropped(steps[index]) { steps[index] = .pause(0) }
  }

  /// Pieces of running are scaled, waits are not; callbacks come sooner.
  /// - Parameter factors: of each operation, by index.
  private mutating func scale(_ factors: [Int32: Double]) {
    for strand in strands {
      // The running operations, the innermost last: an operation that is started by hand is part of another's program.
      var running: [Int32] = []
      for index in strand.steps.lazy.map({ Int($0) }) {
        switch steps[index] {
        case .begin(let job): running.append(job)
        case .finish(let job): if running.last == job { running.removeLast() }
        case .run(let time):
          if let factor = running.last.flatMap({ factors[$0] }) { steps[index] = .run(Self.scaled(time, by: factor)) }
        case .compute(let time):
          if let factor = running.last.flatMap({ factors[$0] }) {
            steps[index] = .compute(Self.scaled(time, by: factor))
          }
        case .submit(let callback, let after):
          if let factor = running.last.flatMap({ factors[$0] }) {
            steps[index] = .submit(callback, after: Self.scaled(after, by: factor))
          }
        default: break
        }
      }
    }
  }

  private static func scaled(_ time: Nanoseconds, by factor: Double) -> Nanoseconds {
    let result = (Double(time) * factor).rounded()
    return result < Double(Int64.max) / 2 ? Nanoseconds(max(0, result)) : .max / 2
  }
}
