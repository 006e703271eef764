import OpTraceKernel
import OpTraceModel

extension TraceStrands {
  /// What a task did: it was created, ran, was suspended, waited for its turn.
  mutating func pieces(of task: TaskRecord, _ row: Int, _ from: Nanoseconds, _ to: Nanoseconds) -> [StrandPiece] {
    var pieces = StretchPieces(from, to)
    let all = self.pieces(ofTask: row)
    if let first = all.first { pieces.add(until: first.begin, beforeSubmission(task)) }
    for piece in all[all.firstSorted { $0.end > pieces.at }...] {
      guard piece.begin < to else { break }
      pieces.add(until: piece.begin, .ends(BlameEnd(.unknown)))
      let end = min(piece.end, to)
      switch piece.kind {
      case .run:
        let run = task.runs[piece.index]
        let before = Self.suspension(of: task, before: piece.begin)
        pieces.add(ran(on: run.thread, pieces.at, end, after: code.path(before?.at ?? task.code).location))
      case .turn: pieces.add(turn(of: task, piece, pieces.at, end))
      case .suspended: pieces.add(suspended(task, piece, pieces.at, end))
      }
    }
    return pieces.finish()
  }

  private static func suspension(of task: TaskRecord, before time: Nanoseconds) -> TaskRecord.Suspension? {
    let next = task.suspensions.firstSorted { $0.from.time >= time }
    return next > 0 ? task.suspensions[next - 1] : nil
  }

  private mutating func turn(
    of task: TaskRecord, _ piece: TaskPiece, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece] {
    let suspension = task.suspensions.indices.contains(piece.index) ? task.suspensions[piece.index] : nil
    let location = code.path(suspension?.at ?? task.submittedAt).location
    guard suspension?.isForMain ?? task.isForMain else { return forThread(location, from, to) }
    let resource = BlameResource(.main, "main thread", location)
    if let onMain {
      let own = trace.workIndex(of: task.id) ?? -1
      return onMain.pieces(of: onMain.keys, except: own, from, to).map { held in
        StrandPiece(
          held.began, held.ended,
          .waits(resource, by: held.work.map { .work($0) }, orElse: BlameEnd(.unknown)))
      }
    }
    let main = mainThread.map { [BlameStrand.thread($0)] } ?? []
    return [StrandPiece(from, to, .waits(resource, by: main, orElse: BlameEnd(.unknown)))]
  }

  /// A wait for a thread, which those of the pool had that ran meanwhile, each to the same share.
  private func forThread(_ location: Int32, _ from: Nanoseconds, _ to: Nanoseconds) -> [StrandPiece] {
    let thread = BlameResource(.thread, "", location)
    return runs.holders(from, to).map { held in
      StrandPiece(
        held.began, held.ended,
        .waits(thread, by: held.threads.map { .thread($0) }, orElse: BlameEnd(.machine)))
    }
  }

  private mutating func suspended(
    _ task: TaskRecord, _ piece: TaskPiece, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece] {
    if let actor = task.actor(of: piece) { return forActor(actor, task, piece, from, to) }
    guard task.suspensions.indices.contains(piece.index) else {
      return [StrandPiece(from, to, .ends(BlameEnd(.unknown)))]
    }
    let suspension = task.suspensions[piece.index]
    let location = code.path(suspension.at).location
    func ends(_ kind: BlameEnd.Kind) -> [StrandPiece] { [StrandPiece(from, to, .ends(BlameEnd(kind, "", location)))] }
    switch suspension.reason {
    case .sleep: return ends(.sleep)
    case .executor:
      let executor = BlameResource(.executor, "", location)
      return [StrandPiece(from, to, .waits(executor, by: [], orElse: BlameEnd(.unknown)))]
    case .task, .group:
      let child = BlameResource(.child, "", location)
      return [
        StrandPiece(
          from, to,
          .waits(
            child, by: strand(suspension.awaited ?? suspension.resumer), orElse: BlameEnd(.unknown, "", location)))
      ]
    case .continuation, .unknown:
      if let handed = handedOn(suspension, location, of: trace.workIndex(of: task.id) ?? -1, from, to) { return handed }
      guard let resumed = suspension.resumed, suspension.resumer == nil else { return ends(.unknown) }
      return outside(resumed, location, from, to)
    }
  }

  /// A wait for what others hand on; nil: it is none.
  private mutating func handedOn(
    _ suspension: TaskRecord.Suspension, _ location: Int32, of task: Int, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece]? {
    let resumer = suspension.resumer.flatMap(trace.workIndex(of:))
    guard resumer != task, resumer != nil || suspension.resumed != nil && suspension.resumer == nil,
      let all = handovers.holders(of: suspension, by: resumer, waiter: task, from, to)
    else { return nil }
    return all.map { held in
      var otherwise = BlameEnd(.unknown, held.giver == nil ? BlameEnd.hadByOthers : "")
      if held.by.isEmpty, let giver = held.giver {
        let code = trace.task(trace.workID(at: giver))?.code
        otherwise = BlameEnd(.unknown, BlameEnd.givenBack, self.code.path(code).location)
      }
      let resource = BlameResource(.continuation, "", location)
      return StrandPiece(held.began, held.ended, .waits(resource, by: held.by.map { .work($0) }, orElse: otherwise))
    }
  }

  /// A wait that a thread without work ended: mostly an event loop, when something came from outside. A loop in a long turn is late.
  private func outside(
    _ resumed: Stamp, _ location: Int32, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece] {
    var pieces = StretchPieces(from, to)
    let outside = StrandPiece.State.ends(BlameEnd(.outside, "", location))
    if let turns = turns[resumed.thread] {
      let name = loopNames[resumed.thread] ?? ""
      for turn in turns[turns.firstSorted { $0.ended ?? trace.end > from }...].prefix(while: { $0.began < resumed.time }
      ) {
        pieces.add(until: max(from, turn.began), outside)
        let ended = min(turn.ended ?? trace.end, resumed.time)
        pieces.add(
          until: ended,
          .waits(
            BlameResource(.loop, name, location), by: [.thread(resumed.thread)], orElse: BlameEnd(.unknown)))
      }
    }
    pieces.add(until: to, outside)
    return pieces.finish()
  }

  /// A wait for an actor. Those had it who had waited for it, too; and who had found it free, which nothing says, ran right before on the
  /// thread on which the task then came to its turn. What nobody had is the wait of the actor itself for a thread.
  private mutating func forActor(
    _ actor: TaskRecord.WaitedActor, _ task: TaskRecord, _ piece: TaskPiece, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece] {
    let suspension = task.suspensions.indices.contains(piece.index) ? task.suspensions[piece.index] : nil
    let location = code.path(suspension?.at ?? task.submittedAt).location
    let resource = BlameResource(.actor, actor.title, location)
    let own = trace.workIndex(of: task.id) ?? -1
    var pieces = StretchPieces(from, to)
    for held in actors.pieces(of: [actor], except: own, from, to) {
      guard held.work.isEmpty else {
        pieces.add(until: held.ended, .waits(resource, by: held.work.map { .work($0) }, orElse: BlameEnd(.unknown)))
        continue
      }
      // Until somebody who had waited for it goes on, or this one.
      let next = actors.next(on: actor, at: held.ended) ?? (held.ended == to && to == piece.end ? own : nil)
      pieces.add(unseen(resource, before: next, held.began, held.ended))
    }
    return pieces.finish()
  }

  /// A stretch in which an actor is not had by anybody who waited for it, before this work goes on with it.
  private func unseen(
    _ resource: BlameResource, before next: Int?, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece] {
    guard let next, case .task(let row) = trace.row(ofWorkAt: next), let run = trace.tasks[row].run(at: to) else {
      return [StrandPiece(from, to, .waits(resource, by: [], orElse: BlameEnd(.unknown)))]
    }
    var had: [(began: Nanoseconds, ended: Nanoseconds, work: Int)] = []
    var at = min(run.began, to)
    while at > from, let before = runs.last(on: run.thread, before: at), at - before.ended <= Self.drainGap {
      had.append((before.began, at, Int(before.work)))
      at = before.began
    }
    var pieces = StretchPieces(from, to)
    for one in had.reversed() {
      pieces.add(forThread(resource.location, pieces.at, max(from, one.began)))
      pieces.add(until: one.ended, .waits(resource, by: [.work(one.work)], orElse: BlameEnd(.unknown)))
    }
    pieces.add(forThread(resource.location, pieces.at, to))
    return pieces.finish()
  }

  /// An actor's thread goes from one job to the next in less than this, unless the machine takes it.
  private static var drainGap: Nanoseconds { 1_000_000 }
}
