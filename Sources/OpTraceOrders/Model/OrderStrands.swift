import OpTraceFormat
package import OpTraceModel

/// Who did something, and what always comes before what: a strand is an operation, a block with the `sync` blocks in it, a task, or a thread
/// outside of these. A moment of one is before a moment of another one if work was submitted, depended on, or was waited for in between;
/// that the one happened to be first is no order.
package struct OrderStrands: Sendable {
  package enum Strand: Hashable, Sendable {
    case work(WorkID)
    case thread(ThreadID)
  }

  private struct Moment {
    var strand: Strand
    var time: Nanoseconds
  }

  private let trace: Trace
  private let mainThread: ThreadID?
  /// What each strand submitted, with the time; and what goes on when a work has ended, since when.
  private var submitted: [Strand: [(time: Nanoseconds, work: WorkID)]] = [:]
  private var behind: [WorkID: [Moment]] = [:]
  /// Waits that a strand's signal ended.
  private var signalled: [Strand: [(time: Nanoseconds, goesOn: Moment)]] = [:]

  package init(_ trace: Trace) {
    self.trace = trace
    mainThread = trace.threads.first(where: \.isMain)?.id
    noteSubmissions()
    noteWaits()
    noteThreads()
  }

  // MARK: - Strands

  /// The strand of work: what runs in `sync` belongs to who waits for it.
  package func strand(of work: WorkID) -> Strand {
    let most = 64
    var id = work
    for _ in 0..<most {
      guard let block = trace.block(id), block.way == .sync else { break }
      guard let by = block.submitter else { return block.submitted.map { .thread($0.thread) } ?? .work(id) }
      id = by
    }
    return .work(id)
  }

  package func strand(of sighting: OrderRecord.Sighting) -> Strand {
    sighting.work.map(strand) ?? .thread(sighting.thread)
  }

  private func strand(submitting work: any Work) -> Strand? {
    work.submitter.map(strand) ?? work.submitted.map { .thread($0.thread) }
  }

  // MARK: - What comes before what

  private mutating func noteSubmissions() {
    var submissions: [Strand: [(time: Nanoseconds, work: WorkID)]] = [:]
    func note(_ work: any Work) {
      guard let strand = strand(submitting: work), let time = work.submitted?.time else { return }
      submissions[strand, default: []].append((time, work.id))
    }
    for operation in trace.operations {
      note(operation)
      for dependency in operation.dependencies where dependency.removed == nil {
        behind[dependency.on, default: []].append(Moment(strand: .work(operation.id), time: .min))
      }
    }
    for block in trace.blocks { note(block) }
    for task in trace.tasks {
      note(task)
      for suspension in task.suspensions {
        guard let awaited = suspension.awaited, let time = suspension.to else { continue }
        behind[awaited, default: []].append(Moment(strand: .work(task.id), time: time))
      }
    }
    submitted = submissions
  }

  /// What a thread does outside of work comes after its start, and before who has waited for its end.
  private mutating func noteThreads() {
    for start in trace.threadStarts {
      guard let from = start.from else { continue }
      let other = start.work.map(strand) ?? .thread(from)
      let thread = Strand.thread(start.thread)
      if start.isJoin {
        signalled[thread, default: []].append((.max, Moment(strand: other, time: start.time)))
      } else {
        signalled[other, default: []].append((start.time, Moment(strand: thread, time: .min)))
      }
    }
  }

  private mutating func noteWaits() {
    for wait in trace.waits {
      guard let ended = wait.ended else { continue }
      let goesOn = Moment(strand: wait.inside.map(strand) ?? .thread(wait.thread), time: ended)
      switch wait.target {
      case .operation(let id): behind[id, default: []].append(goesOn)
      case .queue(let id):
        for operation in trace.operations where operation.queue == id && (operation.over ?? .max) <= ended {
          behind[operation.id, default: []].append(goesOn)
        }
      case .object:
        guard let signal = wait.endSignal else { continue }
        let by: Strand? = signal.operation.map(strand) ?? signal.thread.map { .thread($0) }
        if let by { signalled[by, default: []].append((signal.time, goesOn)) }
      }
    }
  }

  /// Whether the first is before the second in each run, as far as the trace shows. O(what follows from the first).
  func isBefore(_ first: OrderRecord.Sighting, _ second: OrderRecord.Sighting) -> Bool {
    let (from, to) = (strand(of: first), strand(of: second))
    let most = 20_000
    var since: [Strand: Nanoseconds] = [:]
    var open = [Moment(strand: from, time: first.time)]
    while let moment = open.popLast(), since.count < most {
      guard since[moment.strand].map({ moment.time < $0 }) ?? true else { continue }
      since[moment.strand] = moment.time
      if moment.strand == to, moment.time <= second.time { return true }
      for one in submitted[moment.strand] ?? [] where one.time >= moment.time {
        open.append(Moment(strand: strand(of: one.work), time: begin(of: one.work)))
      }
      for one in signalled[moment.strand] ?? [] where one.time >= moment.time { open.append(one.goesOn) }
      if case .work(let id) = moment.strand { open += behind[id] ?? [] }
    }
    return false
  }

  /// A `sync` block is a part of its strand, which goes on.
  private func begin(of work: WorkID) -> Nanoseconds {
    strand(of: work) == .work(work) ? .min : trace.work(work)?.began?.time ?? .min
  }

  /// One who has gone each edge, so that no two are the same strand, and none is before another one. Nil: there are none.
  func unordered(_ edges: [OrderEdge]) -> [OrderRecord.Sighting]? {
    func choose(_ index: Int, _ chosen: [OrderRecord.Sighting]) -> [OrderRecord.Sighting]? {
      guard index < edges.count else { return chosen }
      for one in edges[index].to.sightings where chosen.allSatisfy({ canMeet($0, one) }) {
        if let all = choose(index + 1, chosen + [one]) { return all }
      }
      return nil
    }
    return choose(0, [])
  }

  private func canMeet(_ one: OrderRecord.Sighting, _ other: OrderRecord.Sighting) -> Bool {
    strand(of: one) != strand(of: other) && !(one.thread == mainThread && other.thread == mainThread)
      && !isBefore(one, other) && !isBefore(other, one)
  }
}
