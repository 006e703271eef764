import OpTraceFormat
package import OpTraceKernel
package import OpTraceModel

extension TraceStrands {
  /// What a thread did, whatever ran on it.
  mutating func pieces(ofThread thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds) -> [StrandPiece] {
    var pieces = StretchPieces(from, to)
    let isOfPool = runs.pool.contains(thread)
    for run in runs.runs(on: thread, from, to) where run.ended > pieces.at {
      if run.began > pieces.at { pieces.add(between(thread, pieces.at, min(run.began, to), isOfPool)) }
      pieces.add(ran(on: thread, pieces.at, min(run.ended, to), after: location(before: run)))
    }
    if pieces.at < to { pieces.add(between(thread, pieces.at, to, isOfPool)) }
    return pieces.finish()
  }

  /// A stretch in which no work ran. A thread of the pool that does not work is free; of another one samples and waits tell.
  private mutating func between(
    _ thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds, _ isOfPool: Bool
  ) -> [StrandPiece] {
    guard to > from else { return [] }
    return isOfPool ? [StrandPiece(from, to, .ends(BlameEnd(.machine)))] : ran(on: thread, from, to, after: -1)
  }

  /// Where the code of a run was before it went on.
  private mutating func location(before run: ThreadRuns.Run) -> Int32 {
    switch trace.row(ofWorkAt: Int(run.work)) {
    case .operation: return -1
    case .block(let row): return code.path(trace.blocks[row].code).location
    case .task(let row):
      let task = trace.tasks[row]
      return code.path(run.suspension >= 0 ? task.suspensions[Int(run.suspension)].at : task.code).location
    }
  }

  /// What code did on a thread: it waited, or was on a processor. `location`: what is known without samples.
  package mutating func ran(
    on thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds, after location: Int32
  ) -> [StrandPiece] {
    var pieces = StretchPieces(from, to)
    for wait in threads.waits(on: thread, from, to) {
      pieces.add(used(thread, pieces.at, max(pieces.at, wait.began), location))
      add(
        wait.isHoldup ? trace.holdups[Int(wait.index)] : trace.waits[Int(wait.index)], until: min(to, wait.ended),
        to: &pieces)
    }
    pieces.add(used(thread, pieces.at, to, location))
    return pieces.finish()
  }

  /// A run that is shorter than this may have been on a processor without a sample.
  private static var sampledFrom: Nanoseconds { 5_000_000 }

  /// Processor time by samples: each stands for its period. What no sample stands for did not run, where it is long.
  private mutating func used(
    _ thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds, _ location: Int32
  ) -> [StrandPiece] {
    guard to > from else { return [] }
    var pieces = StretchPieces(from, to)
    guard threads.areSampled, let period = trace.profile?.period, location >= -1 else {
      pieces.add(until: to, .ends(BlameEnd(.code, "", code.wholeFunction(location))))
      return pieces.finish()
    }
    let found = threads.samples(on: thread, from, to)
    func end(_ at: FrameID?) -> StrandPiece.State {
      let path = code.path(at)
      guard path.isOwn || location < 0 else { return .ends(BlameEnd(.code, "", code.wholeFunction(location))) }
      return .ends(BlameEnd(.code, "", path.function, caller: caller(in: path)))
    }
    // The stretch of a sample reaches half a period to both sides, and to the next one where that is near.
    let reach = max(period, Self.sampledFrom / 2)
    for (index, sample) in found.enumerated() {
      if sample.time - pieces.at > reach {
        pieces.add(until: sample.time - period, idle(pieces.at, sample.time - period))
      }
      let next = index + 1 < found.count ? found[index + 1].time : to
      let until =
        next - sample.time <= 2 * reach
        ? (index + 1 < found.count ? (sample.time + next) / 2 : to) : sample.time + period
      pieces.add(until: until, end(sample.at))
    }
    let rest = to - pieces.at
    if rest > 0 {
      pieces.add(
        until: to,
        rest < Self.sampledFrom && (found.isEmpty || rest <= reach)
          ? .ends(BlameEnd(.code, "", code.wholeFunction(location))) : idle(pieces.at, to))
    }
    return pieces.finish()
  }

  /// Code that ran, and was on no processor: the machine had none, or it waited in a way that is not recorded.
  private func idle(_ from: Nanoseconds, _ to: Nanoseconds) -> StrandPiece.State {
    let first = trace.machine.firstSorted { $0.time >= from }
    let isShort = trace.machine[first...].prefix { $0.time - $0.over <= to }.contains { $0.waited > $0.over / 10 }
    return .ends(BlameEnd(isShort ? .machine : .unknown))
  }

  /// A wait of a thread. For a dispatch queue: what ran on it had it meanwhile.
  private mutating func add(_ wait: WaitRecord, until end: Nanoseconds, to pieces: inout StretchPieces) {
    let otherwise = state(of: wait)
    guard case .object(let id) = wait.target, let object = trace.object(id), let queue = queue(of: object) else {
      return pieces.add(until: end, otherwise)
    }
    let turn = BlameResource(.queue, title(of: .dispatchQueue(queue)), code.path(wait.at).location)
    for held in queues.pieces(of: [.dispatchQueue(queue)], except: -1, pieces.at, end) {
      let by = held.work.map { BlameStrand.work($0) }
      pieces.add(
        until: held.ended, by.isEmpty ? otherwise : .waits(turn, by: by, orElse: BlameEnd(.unknown)))
    }
  }

  /// The function that called the innermost one of the program's own; -1: not known.
  package func caller(in path: ProgramCode.Path) -> Int32 {
    guard path.isOwn else { return -1 }
    return path.functions.dropLast().last { code.functions[Int($0)].function?.isThunk == false }
      .map { code.location(ofFunction: $0) } ?? -1
  }

  /// The operation of a queue that finished last by a time. O(log operations).
  private func lastFinish(of queue: QueueID, until time: Nanoseconds) -> OperationID? {
    guard let all = finishes[queue] else { return nil }
    let next = all.firstSorted { $0.time > time }
    return next > 0 ? all[next - 1].operation : nil
  }

  private mutating func state(of wait: WaitRecord) -> StrandPiece.State {
    let path = code.path(wait.at)
    let location = path.location
    switch wait.target {
    case .operation(let id):
      let name = trace.operation(id)?.title ?? ""
      return .waits(BlameResource(.child, name, location), by: strand(id), orElse: BlameEnd(.unknown, "", location))
    case .queue(let id):
      let last = lastFinish(of: id, until: wait.ended ?? trace.end)
      return .waits(
        BlameResource(.child, title(of: .queue(id)), location), by: strand(last),
        orElse: BlameEnd(.unknown, "", location))
    case .object(let id):
      let object = trace.object(id)
      let name = object?.title ?? ""
      switch object?.kind {
      case .sleep: return .ends(BlameEnd(.call, BlameEnd.threadSleep, location, caller: caller(in: path)))
      case .disk: return .ends(BlameEnd(.call, BlameEnd.disk, location, caller: caller(in: path)))
      case .call: return .ends(BlameEnd(.call, name, location, caller: caller(in: path)))
      case .mutex, .rwlock, .inheriting:
        return .waits(
          BlameResource(.lock, name, location), by: strand(on: wait.holder, at: wait.began),
          orElse: BlameEnd(.unknown, "", location))
      case .queue:
        let by = wait.endSignal
        return .waits(
          BlameResource(.queue, object?.name ?? name, location),
          by: by?.operation.map { strand($0) } ?? strand(on: by?.thread, at: wait.began),
          orElse: BlameEnd(.unknown, "", location))
      default:
        let by = wait.endSignal
        return .waits(
          BlameResource(.signal, name, location),
          by: by?.operation.map { strand($0) } ?? strand(on: by?.thread, at: by?.time ?? wait.began),
          orElse: BlameEnd(.unknown, "", location))
      }
    }
  }
}

extension String {
  /// What the compiler makes, which no source has.
  fileprivate var isThunk: Bool { contains("thunk") || hasPrefix("partial apply") }
}
