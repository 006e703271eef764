import OpTraceBlame
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// Splits a stretch of work into what it did and what it waited for.
///
/// If it waits for work that it submitted, the stretch is attributed to that work, so that a single line through the
/// tree of work explains all of the time.
struct RequestParts {
  let trace: Trace
  private(set) var strands: TraceStrands
  let actors: ActorUse
  let loops: [ThreadID: LoopUse]
  private(set) var causes: [Requests.Cause] = []
  private var causeIndexes: [Requests.Cause: Int32] = [:]
  private let sampledRuns: SampledRuns
  private let queueTitles: [SchedulerID: String]
  private let threadWaits: ThreadWaits
  /// The parts of the unit that is being split.
  private var found: [Requests.Part] = []
  /// What ``line(_:_:_:)`` collects; nil: only sums are wanted.
  private var pieces: [Requests.Piece]?

  private static let deepest = 12
  /// The program's functions, which what happens on threads refers to.
  var code: ProgramCode {
    get { strands.code }
    _modify { yield &strands.code }
  }

  init(_ strands: TraceStrands, _ actors: ActorUse, loops: [LoopUse]) {
    trace = strands.trace
    var strands = strands
    sampledRuns = SampledRuns(trace, strands.threads, &strands.code)
    self.strands = strands
    self.actors = actors
    self.loops = Dictionary(loops.map { ($0.thread, $0) }, uniquingKeysWith: { first, _ in first })
    var titles: [SchedulerID: String] = [:]
    for queue in trace.queues { titles[.queue(queue.id)] = queue.title }
    for queue in trace.dispatchQueues { titles[.dispatchQueue(queue.id)] = queue.title }
    queueTitles = titles
    threadWaits = ThreadWaits(trace)
  }

  /// The parts of a stretch, each cause once.
  ///
  /// - Parameter pieces: those of the task, if the work is one.
  mutating func split(
    _ work: WorkID, _ from: Nanoseconds, _ to: Nanoseconds, pieces: [TaskPiece]? = nil
  ) -> [Requests.Part] {
    found.removeAll(keepingCapacity: true)
    if let index = trace.workIndex(of: work) { add(index, from, to, pieces, root: work, depth: 0) }
    return found
  }

  /// What this work itself did in a stretch, and when, without what the work that it waited for did.
  mutating func line(_ work: WorkID, _ from: Nanoseconds, _ to: Nanoseconds) -> [Requests.Piece] {
    found.removeAll(keepingCapacity: true)
    pieces = []
    defer { pieces = nil }
    if let index = trace.workIndex(of: work) { add(index, from, to, nil, root: work, depth: Self.deepest) }
    return pieces ?? []
  }

  /// Who had what this work waited for in a stretch.
  mutating func blame(_ work: WorkID, _ from: Nanoseconds, _ to: Nanoseconds) -> [Blame<TraceStrands>.Share] {
    guard let index = trace.workIndex(of: work) else { return [] }
    return Blame(.work(index), from: from, to: to, in: &strands).shares
  }

  // MARK: - Work of all kinds

  private mutating func add(
    _ index: Int, _ from: Nanoseconds, _ to: Nanoseconds, _ pieces: [TaskPiece]?, root: WorkID, depth: Int
  ) {
    guard to > from else { return }
    switch trace.row(ofWorkAt: index) {
    case .operation(let row): add(trace.operations[row], from, to)
    case .block(let row): add(trace.blocks[row], from, to)
    case .task(let row):
      let task = trace.tasks[row]
      add(task, pieces ?? task.pieces(traceEnd: trace.end), from, to, root: root, depth: depth)
    }
  }

  private mutating func add(_ operation: OperationRecord, _ from: Nanoseconds, _ to: Nanoseconds) {
    let began = operation.began?.time ?? to
    let ready = operation.runnable ?? began
    let location = code.path(operation.addedAt).location
    note(.dependency, location, from, min(ready, to))
    let queue = operation.queue.flatMap { queueTitles[.queue($0)] } ?? ""
    waited(operation, who: queue, location, max(from, ready), min(began, to))
    let function = operation.function
    let runs = function.map { self.location(of: $0) } ?? -1
    for run in operation.runs { ran(run, from, min(to, run.ended ?? to), after: runs) }
  }

  /// For a slot of its queue, or for a thread.
  private mutating func waited(
    _ operation: OperationRecord, who queue: String, _ location: Int32, _ from: Nanoseconds, _ to: Nanoseconds
  ) {
    guard to > from, let slots = operation.queue.flatMap({ threadWaits.freeSlots(of: $0) }) else {
      return note(.operationQueue, who: queue, location, from, to)
    }
    if pieces == nil {
      let forThread = slots.freeTime(for: operation, from: from, to: to)
      add(.operationQueue, who: queue, location, to - from - forThread)
      add(.thread, who: "", -1, forThread)
      return
    }
    var at = from
    for stretch in slots.stretches(for: operation, from: from, to: to) {
      note(.operationQueue, who: queue, location, at, stretch.lowerBound)
      note(.thread, -1, stretch.lowerBound, stretch.upperBound)
      at = stretch.upperBound
    }
    note(.operationQueue, who: queue, location, at, to)
  }

  private mutating func add(_ block: BlockRecord, _ from: Nanoseconds, _ to: Nanoseconds) {
    let began = block.began?.time ?? to
    let queue = block.queue.flatMap { queueTitles[.dispatchQueue($0)] } ?? ""
    let location = code.path(block.submittedAt).location
    note(block.way == .after ? .sleeping : .dispatchQueue, who: queue, location, from, min(began, to))
    for run in block.runs { ran(run, from, min(to, run.ended ?? to), after: code.path(block.code).location) }
  }

  private mutating func location(of symbol: SymbolRecord) -> Int32 {
    code.index(
      of: CodeLocation(function: symbol.shortName, file: symbol.file, line: symbol.line, module: symbol.module))
  }

  // MARK: - Tasks

  private mutating func add(
    _ task: TaskRecord, _ pieces: [TaskPiece], _ from: Nanoseconds, _ to: Nanoseconds, root: WorkID, depth: Int
  ) {
    var index = pieces.firstSorted { $0.end > from }
    while index < pieces.count, pieces[index].begin < to {
      let piece = pieces[index]
      let (begin, end) = (max(from, piece.begin), min(to, piece.end))
      index += 1
      switch piece.kind {
      case .run:
        let before = Self.suspension(of: task, before: piece.begin)
        let run = task.runs[piece.index]
        ran(
          WorkRun(thread: run.thread, began: begin, ended: end), begin, end,
          after: code.path(before?.at ?? task.code).location)
      case .turn:
        let suspension = task.suspensions.indices.contains(piece.index) ? task.suspensions[piece.index] : nil
        let isForMain = suspension?.isForMain ?? task.isForMain
        let location = code.path(suspension?.at ?? task.submittedAt).location
        if isForMain { note(.actor, who: "MainActor", location, begin, end) } else { note(.thread, -1, begin, end) }
      case .suspended:
        suspended(task, piece, begin, end, root: root, depth: depth)
      }
    }
  }

  private mutating func suspended(
    _ task: TaskRecord, _ piece: TaskPiece, _ begin: Nanoseconds, _ end: Nanoseconds, root: WorkID, depth: Int
  ) {
    if let actor = task.actor(of: piece) {
      let holder = actors.holder(of: actor)
      note(.actor, who: actor.className, holder ?? -1, begin, end)
      return
    }
    guard task.suspensions.indices.contains(piece.index) else { return note(.thread, -1, begin, end) }
    let suspension = task.suspensions[piece.index]
    let location = code.path(suspension.at).location
    if depth < Self.deepest, let child = awaited(by: suspension, of: task, root: root) {
      let index = child
      let submitted = trace.work(at: index).submitted?.time ?? begin
      let start = min(end, max(begin, submitted))
      note(suspension.reason == .continuation ? .continuation : .child, location, begin, start)
      let over = min(end, trace.work(at: index).over ?? end)
      add(index, start, max(start, over), nil, root: root, depth: depth + 1)
      note(suspension.reason == .continuation ? .continuation : .child, location, max(start, over), end)
      return
    }
    switch suspension.reason {
    case .sleep: note(.sleeping, location, begin, end)
    case .task, .group: note(.child, location, begin, end)
    case .executor: note(.actor, location, begin, end)
    case .continuation, .unknown:
      guard let resumed = suspension.resumed, suspension.resumer == nil else {
        return note(.continuation, location, begin, end)
      }
      // A loop that was blocked resumes it late.
      let loop = loops[resumed.thread]
      let late = loop?.turns(from: begin, to: min(end, resumed.time)) ?? 0
      if pieces != nil {
        note(.outside, location, begin, end - late)
        if let loop { note(.loop, who: loop.name, loop.mostly?.location ?? location, end - late, end) }
        return
      }
      if late > 0, let loop { add(.loop, who: loop.name, loop.mostly?.location ?? location, late) }
      add(.outside, who: "", location, end - begin - late)
    }
  }

  /// The index of the work that the unit submitted and that let the task continue; nil: other work did.
  private func awaited(by suspension: TaskRecord.Suspension, of task: TaskRecord, root: WorkID) -> Int? {
    guard let work = suspension.awaited ?? suspension.resumer, work != task.id, let index = trace.workIndex(of: work)
    else {
      return nil
    }
    var above = trace.submitter(of: work)
    for _ in 0..<Self.deepest {
      guard let one = above else { return nil }
      if one == task.id || one == root { return index }
      above = trace.submitter(of: one)
    }
    return nil
  }

  // MARK: - Running

  private mutating func ran(_ run: WorkRun, _ from: Nanoseconds, _ to: Nanoseconds, after location: Int32) {
    let begin = max(run.began, from)
    guard to > begin else { return }
    // What it waited for is drawn on top of it.
    if pieces != nil { note(.running, location, begin, to) }
    for piece in strands.ran(on: run.thread, begin, to, after: location) { note(piece, after: location) }
  }

  private mutating func note(_ piece: StrandPiece, after location: Int32) {
    let (from, to) = (piece.began, piece.ended)
    switch piece.state {
    case .ends(let end):
      switch (end.kind, end.name) {
      case (.code, _): if pieces == nil { used(end.location, to - from, after: location) }
      case (.call, BlameEnd.threadSleep): note(.threadSleep, who: end.name, end.location, from, to)
      case (.call, BlameEnd.disk): note(.disk, who: "a disk", end.location, from, to)
      case (.call, _): note(.call, who: end.name, end.location, from, to)
      case (.sleep, _), (.outside, _), (.machine, _), (.unknown, _): note(.offCPU, location, from, to)
      }
    case .waits(let resource, by: _, orElse: _):
      let what: Requests.What =
        switch resource.kind {
        case .child: .operationQueue
        case .queue: .dispatchQueue
        default: .lock
        }
      note(what, who: resource.name, resource.location, from, to)
    }
  }

  /// Time on a processor. What no sample tells of a short run, the samples of runs that are like it tell.
  private mutating func used(_ function: Int32, _ length: Nanoseconds, after location: Int32) {
    var left = length
    if function == code.wholeFunction(location), length < Self.sampledFrom {
      for one in sampledRuns.shares(after: location) {
        let share = min(left, Nanoseconds(Double(length) * one.share))
        left -= share
        add(.running, who: "", one.location, share)
      }
    }
    add(.running, who: "", function, left)
  }

  /// A run that is as long as this would have been sampled itself.
  private static let sampledFrom: Nanoseconds = 5_000_000

  // MARK: - Sums

  private mutating func note(
    _ what: Requests.What, who: String = "", _ location: Int32, _ from: Nanoseconds, _ to: Nanoseconds
  ) {
    guard to > from, let cause = add(what, who: who, location, to - from) else { return }
    pieces?.append(.init(cause: cause, began: from, ended: to))
  }

  @discardableResult
  private mutating func add(_ what: Requests.What, who: String, _ location: Int32, _ length: Nanoseconds) -> Int32? {
    guard length > 0 else { return nil }
    let isCode = what == .running || what == .actor || what == .loop || what == .offCPU
    let cause = Requests.Cause(what: what, who: who, location: isCode ? code.wholeFunction(location) : location)
    let index = causeIndexes[cause] ?? Int32(causes.count)
    if Int(index) == causes.count {
      causes.append(cause)
      causeIndexes[cause] = index
    }
    if let row = found.firstIndex(where: { $0.cause == index }) {
      found[row].length = found[row].length.saturating(length)
    } else {
      found.append(.init(cause: index, length: length))
    }
    return index
  }

  // MARK: - Finding

  private static func suspension(of task: TaskRecord, before time: Nanoseconds) -> TaskRecord.Suspension? {
    let next = task.suspensions.firstSorted { $0.from.time >= time }
    return next > 0 ? task.suspensions[next - 1] : nil
  }
}
