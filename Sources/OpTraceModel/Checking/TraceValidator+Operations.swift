import OpTraceFormat

/// Rules of operations.
extension TraceValidator {
  mutating func checkOperation(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    let id = event.subject
    if kind == .spanBegan {
      let span = EventFields.SpanBegan(event.word1).id
      if !openSpans.insert(span).inserted {
        report(.definedTwice, event, index, "span s\(span) begins again before it has ended")
      }
    }
    let isRemark = KindTables.parts[Int(event.kind)] == .remark
    guard id != 0 else {
      if !isRemark { report(.valueOutOfRange, event, index, "operation #0 does not exist") }
      if kind == .blocked || kind == .unblocked || kind == .signalled { checkBlocking(kind, event, index, nil) }
      return
    }
    guard !submissions.isKnown(id), !tasks.isKnown(id) else {
      if kind == .blocked || kind == .unblocked || kind == .signalled { checkBlocking(kind, event, index, nil) }
      return
    }
    let row = row(of: id)
    // Swapped out and back, so that its arrays are changed in place.
    var life = Life()
    swap(&life, &lives[row])
    defer { swap(&life, &lives[row]) }
    if kind == .operationCreated {
      let fields = EventFields.OperationCreated(event.word1)
      let coverage = Coverage(rawValue: fields.coverage) ?? .partial
      // An operation that was only named as a dependency is described again when the recorder meets it; one that seemed
      // to be seen from its beginning, when it turns out that it was not.
      let isMore = life.coverage == .external || (life.coverage == .full && coverage == .partial)
      if life.isCreated, !isMore, isWhole { report(.definedTwice, event, index, "is created twice") }
      life.isCreated = true
      life.coverage = coverage
      life.isAsynchronous = fields.async
      life.overridesReady = fields.ownReady
      return
    }
    if !life.isCreated, isWhole {
      report(.undefinedOperation, event, index, "`\(kind.spec.name)` comes before `created`")
      life.isCreated = true
    }
    // The program's remarks, and records about the operation's past, may come at any time.
    if let released = life.released, event.time - released > TraceBuilder.tolerance, !isRemark {
      report(.afterRelease, event, index, "`\(kind.spec.name)` comes after `released`")
    }
    switch kind {
    case .waitBegan, .waitEnded: checkWait(kind, event, index, life)
    case .blocked, .unblocked, .signalled: checkBlocking(kind, event, index, life)
    case .dependencyAdded:
      // A recorder may write an edge twice.
      let other = EventFields.DependencyAdded(event.word1).on
      if life.dependencies.count > 64 || !life.dependencies.contains(other) { life.dependencies.append(other) }
    case .dependencyRemoved:
      let other = EventFields.DependencyRemoved(event.word1).on
      if let row = life.dependencies.lastIndex(of: other) {
        life.dependencies.remove(at: row)
      } else if isWhole {
        report(.unknownDependency, event, index, "a dependency on #\(other) is removed that it did not have")
      }
    case .enqueued: life.queue = EventFields.Enqueued(event.word1).queue
    case .cancelRequested: life.isCancelled = true
    case .released:
      if life.released != nil { report(.onlyOnce, event, index, "is released twice") }
      life.released = event.time
    default: checkRun(kind, event, index, &life)
    }
  }

  mutating func row(of id: UInt32) -> Int {
    if let row = rows[id] { return row }
    rows[id] = lives.count
    lives.append(Life())
    return lives.count - 1
  }

  /// Whether the absence of an event of this operation proves something.
  func isFullySeen(_ life: Life) -> Bool { isWhole && life.coverage == .full }

  mutating func checkRun(_ kind: EventKind, _ event: TraceEvent, _ index: Int, _ life: inout Life) {
    let id = event.subject
    switch kind {
    case .started:
      life.starts += 1
      enter(Frame(operation: id, kind: .start), event)
      if life.starts == 1, !life.isFinished { checkLimit(event, index, life) }
    case .executionBegan:
      if life.hasBegun { report(.onlyOnce, event, index, "its code begins twice") }
      if life.starts == 0, isFullySeen(life) {
        report(.missingBefore, event, index, "its code begins without `started`")
      }
      life.hasBegun = true
      enter(Frame(operation: id, kind: .code), event)
      checkDependencies(event, index, life)
    case .executionEnded:
      if life.hasEnded { report(.onlyOnce, event, index, "its code ends twice") }
      if !life.hasBegun, isFullySeen(life) {
        report(.missingBefore, event, index, "its code ends without having begun")
      }
      life.hasEnded = true
      leave(Frame(operation: id, kind: .code), event, index, life)
    case .blockBegan:
      let number = EventFields.BlockBegan(event.word1).index
      if !life.openBlocks.insert(number).inserted { report(.onlyOnce, event, index, "block \(number) begins twice") }
      if !life.hasBegun, isFullySeen(life) {
        report(.missingBefore, event, index, "block \(number) begins before the operation's code")
      }
      enter(Frame(operation: id, kind: .block(number)), event)
    case .blockEnded:
      let number = EventFields.BlockEnded(event.word1).index
      if life.openBlocks.remove(number) == nil {
        if isFullySeen(life) { report(.unmatchedEnd, event, index, "block \(number) ends without having begun") }
      } else {
        leave(Frame(operation: id, kind: .block(number)), event, index, life)
      }
    case .startReturned:
      if life.starts == 0, isFullySeen(life) {
        report(.missingBefore, event, index, "`start()` returns without `started`")
      }
      leave(Frame(operation: id, kind: .start), event, index, life)
    case .finished, .finishedWithError:
      if life.isFinished { report(.onlyOnce, event, index, "is finished twice") }
      if isFullySeen(life), !life.isAsynchronous, !life.isFinished {
        if life.starts == 0, !life.isCancelled {
          report(.missingBefore, event, index, "is finished without `started`, and was not cancelled")
        } else if life.hasBegun, !life.hasEnded {
          report(.finishedWhileRunning, event, index, "is synchronous and finished while its code runs")
        }
      }
      life.isFinished = true
      if let queue = life.queue { queues[queue]?.executing.remove(id) }
    case .finishedAgain:
      if !life.isFinished, isFullySeen(life) {
        report(.missingBefore, event, index, "is finished again without `finished`")
      }
    default: break
    }
  }

  mutating func checkDependencies(_ event: TraceEvent, _ index: Int, _ life: Life) {
    // A program that decides itself when an operation is ready may say so too early.
    guard isFullySeen(life), !life.isCancelled, !life.overridesReady else { return }
    for other in life.dependencies {
      // A cancelled dependency counts as satisfied; one that was not fully seen proves nothing.
      guard let dependency = rows[other].map({ lives[$0] }), dependency.coverage == .full, !dependency.isCancelled
      else { continue }
      if let finished = finishTimes[other], finished <= event.time + TraceBuilder.tolerance { continue }
      report(.startedBeforeDependency, event, index, "begins before #\(other) is finished, on which it depends")
    }
  }

  mutating func checkLimit(_ event: TraceEvent, _ index: Int, _ life: Life) {
    guard let id = life.queue, queues[id] != nil else { return }
    queues[id]?.executing.insert(event.subject)
    guard let queue = queues[id], isWhole, queue.limit >= 0, queue.executing.count > queue.limit else { return }
    let running = queue.executing.filter { other in
      finishTimes[other].map { $0 > event.time + TraceBuilder.tolerance } ?? true
    }
    if running.count > queue.limit {
      report(
        .limitExceeded, event, index, "starts as number \(running.count) in queue q\(id), whose limit is \(queue.limit)"
      )
    }
  }
}
