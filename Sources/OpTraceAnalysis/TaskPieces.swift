package import OpTraceModel

/// A task's life from its creation on, in pieces that follow one another: it runs, is suspended, waits for its turn.
package struct TaskPiece: Sendable, Equatable {
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// Its code runs.
    case run
    /// Nothing but a thread keeps it waiting.
    case turn
    /// It waits for something else, or that is all that is known.
    case suspended
  }
  package var kind: Kind
  package var begin: Nanoseconds
  package var end: Nanoseconds
  /// Not over when the trace ends.
  package var isOpen = false
  /// Suspended: an actor keeps it waiting.
  package var isForActor = false
  /// Of a run, its index among the runs; else that of the suspension that it belongs to, -1: none, as before the first run.
  package var index: Int
}

extension TaskRecord {
  /// In the order of time, none overlapping another: a run that was recorded late ends where the next one begins, and where runs have no
  /// length each next one begins a nanosecond later, so that no two begin at once. O(runs + suspensions).
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

  /// The reason of one of its pieces that is no run; nil: it waits for its first run.
  package func reason(of piece: TaskPiece) -> Reason? {
    if piece.isForActor { return .executor }
    return suspensions.indices.contains(piece.index) ? suspensions[piece.index].reason : nil
  }

  /// The actor that keeps it waiting in one of its pieces; nil: none does, or that is not heard.
  package func actor(of piece: TaskPiece) -> WaitedActor? {
    guard piece.isForActor else { return nil }
    return suspensions.indices.contains(piece.index) ? suspensions[piece.index].actor : actor
  }
}

/// The times of a task, in nanoseconds, which add up to the time from its creation to its end.
package struct TaskTimes: Sendable, Equatable {
  /// In which only a thread kept it waiting.
  package var turn: Nanoseconds = 0
  /// In which its code ran.
  package var running: Nanoseconds = 0
  /// In which it waited for something else, by the reason; nil: before its first run.
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

  /// As those of other work: suspended is what others made it wait.
  package var sums: OperationTimes {
    var times = OperationTimes()
    times.waitingForDependencies = suspended.values.reduce(0, +)
    times.waitingForSlot = turn
    times.running = running
    return times
  }
}

extension Work {
  /// The three times of any work: of a task, which runs in pieces, their sums.
  package func times(traceEnd: Nanoseconds) -> OperationTimes {
    if let task = self as? TaskRecord { return TaskTimes(of: task, traceEnd: traceEnd).sums }
    return OperationTimes(of: self, traceEnd: traceEnd)
  }

  /// The run that began last at this time; nil: none had begun. O(log runs).
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
