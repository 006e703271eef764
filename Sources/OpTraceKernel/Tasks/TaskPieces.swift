package import OpTraceModel

/// A task's life from its creation on, in pieces that follow one another: it runs, is suspended, waits for its turn.
package struct TaskPiece: Sendable, Equatable {
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// Its code runs.
    case run
    /// It waits only for a thread.
    case turn
    /// It waits for something else, or nothing more is known.
    case suspended
  }
  package var kind: Kind
  package var begin: Nanoseconds
  package var end: Nanoseconds
  /// Whether it is not over when the trace ends.
  package var isOpen = false
  /// Whether it is suspended because of an actor.
  package var isForActor = false
  /// For a run, its index among the runs; else the index of the suspension that it belongs to, or -1 before the first
  /// run.
  package var index: Int
}

extension TaskRecord {
  /// The pieces in the order of time, without overlap. A run whose end was recorded late ends where the next one
  /// begins. If runs have no length, each begins a nanosecond after the one before, so that no two begin at once.
  /// O(runs + suspensions).
  package func pieces(traceEnd: Nanoseconds) -> [TaskPiece] {
    var pieces: [TaskPiece] = []
    pieces.reserveCapacity(2 * runs.count + 2)
    let last = max(over ?? traceEnd, submitted?.time ?? .min)
    /// From here on nothing is known yet.
    var free = Nanoseconds.min
    func add(
      _ kind: TaskPiece.Kind, _ begin: Nanoseconds, _ end: Nanoseconds, _ index: Int, isOpen: Bool = false,
      isForActor: Bool = false
    ) {
      let begin = max(begin, free)
      let end = max(begin, end)
      guard end > begin || kind == .run else { return }
      pieces.append(
        TaskPiece(
          kind: kind, begin: begin, end: end, isOpen: isOpen, isForActor: isForActor, index: index))
      free = max(end, begin + 1)
    }
    func wait(
      _ from: Nanoseconds, _ enqueued: Nanoseconds?, _ to: Nanoseconds, _ index: Int, isOpen: Bool, isForActor: Bool
    ) {
      let turn = enqueued.map { min(max($0, from), to) } ?? to
      add(.suspended, from, turn, index, isOpen: isOpen && enqueued == nil)
      if enqueued != nil {
        add(isForActor ? .suspended : .turn, turn, to, index, isOpen: isOpen, isForActor: isForActor)
      }
    }
    if !isCut, let submitted = submitted?.time ?? enqueued?.time {
      let began = runs.first?.began
      wait(
        submitted, enqueued?.time, max(submitted, began ?? last), -1, isOpen: began == nil && over == nil,
        isForActor: actor != nil)
    }
    var suspension = suspensions.startIndex
    for run in runs.indices {
      let next = runs.index(after: run) < runs.endIndex ? runs[run + 1].began : nil
      let end = min(runs[run].ended ?? last, next ?? .max)
      add(.run, runs[run].began, end, run, isOpen: next == nil && runs[run].ended == nil && over == nil)
      while suspension < suspensions.endIndex, let to = suspensions[suspension].to, to < next ?? .max {
        suspension += 1
      }
      let known = suspension < suspensions.endIndex && suspensions[suspension].to == next ? suspension : -1
      guard next != nil || runs[run].ended != nil && known >= 0 else { continue }
      wait(
        end, known < 0 ? nil : suspensions[known].enqueued?.time, next ?? max(last, end), known,
        isOpen: next == nil && over == nil, isForActor: known >= 0 && suspensions[known].actor != nil)
    }
    return pieces
  }

  /// The reason of a piece that is no run; nil: it waits for its first run.
  package func reason(of piece: TaskPiece) -> Reason? {
    if piece.isForActor { return .executor }
    return suspensions.indices.contains(piece.index) ? suspensions[piece.index].reason : nil
  }

  /// The actor that a piece waits for; nil: none, or that is not recorded.
  package func actor(of piece: TaskPiece) -> WaitedActor? {
    guard piece.isForActor else { return nil }
    return suspensions.indices.contains(piece.index) ? suspensions[piece.index].actor : actor
  }
}

/// The times of a task, in nanoseconds. They add up to the time from its creation to its end.
package struct TaskTimes: Sendable, Equatable {
  /// Time in which it waited only for a thread.
  package var turn: Nanoseconds = 0
  /// Time in which its code ran.
  package var running: Nanoseconds = 0
  /// Time in which it waited for something else, by reason; nil: before its first run.
  package var suspended: [TaskRecord.Reason?: Nanoseconds] = [:]

  /// O(runs + suspensions).
  package init(of task: TaskRecord, traceEnd: Nanoseconds) {
    for piece in task.pieces(traceEnd: traceEnd) {
      let length = piece.end - piece.begin
      switch piece.kind {
      case .run: running += length
      case .turn: turn += length
      case .suspended: suspended[task.reason(of: piece), default: 0] += length
      }
    }
  }

  /// The same in the form that other work has: suspensions count as waiting for dependencies.
  package var sums: OperationTimes {
    var times = OperationTimes()
    times.waitingForDependencies = suspended.values.reduce(0, +)
    times.waitingForSlot = turn
    times.running = running
    return times
  }
}

extension Work {
  /// The three times of any work; for a task, the sums over its pieces.
  package func times(traceEnd: Nanoseconds) -> OperationTimes {
    if let task = self as? TaskRecord { return TaskTimes(of: task, traceEnd: traceEnd).sums }
    return OperationTimes(of: self, traceEnd: traceEnd)
  }

  /// The last run that began by this time; nil: none had begun. O(log runs).
  package func run(at time: Nanoseconds) -> WorkRun? {
    let runs = self.runs
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].began <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? runs[low - 1] : nil
  }
}
