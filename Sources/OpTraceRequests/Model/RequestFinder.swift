import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// - Parameters:
  ///   - window: only units and waits for actors that end in it, and what loops did in it; nil: all.
  ///   - trees: the units for which ``Requests/trees`` are wanted; nil: none.
  ///   - isBrief: leave out troubles: pools, leaks, backlogs, repeats and the hottest function stay
  ///     empty.
  /// - Complexity: O(n log n) for n pieces of work, suspensions and samples.
  package init(
    of trace: Trace, within window: ClosedRange<Nanoseconds>? = nil, trees: TreeLimits? = nil, isBrief: Bool = false
  ) {
    var code = ProgramCode(trace.stacks)
    let samples = ThreadSamples(trace)
    let actors = ActorUse(trace, &code, samples)
    let loops = LoopUse.all(trace, &code, samples)
    // What a unit waited for may be older than the window.
    let used = window.map { window in
      (
        loops: LoopUse.all(trace, &code, samples, within: window),
        actors: ActorUse(trace, &code, samples, within: window)
      )
    }
    var finder = RequestFinder(trace, RequestParts(trace, code, actors, samples, loops: loops), window)
    self = finder.requests(trees, isBrief: isBrief)
    self.loops = used?.loops ?? loops
    self.actors = (used?.actors ?? actors).all
  }
}

/// Finds units, names their kinds and splits them.
struct RequestFinder {
  /// What units of one kind share, before routes are told apart.
  private enum Source: Hashable {
    case span(String)
    case task(group: Int32, isRound: Bool)
    case other(String)
  }

  let trace: Trace
  private let window: ClosedRange<Nanoseconds>?
  /// Outermost spans of the program's tracer, by the work in which they began.
  private let spans: [WorkID: [SpanRecord]]
  let loops: TaskLoops
  var parts: RequestParts
  private var found = Requests()
  private var sources: [Source: Int32] = [:]
  private var sourceNames: [(name: String, location: CodeLocation?, isOwn: Bool, areRounds: Bool)] = []
  /// For each round the own functions of its deepest stack, the outermost first.
  private var paths: [[Int32]] = []
  /// For each group of tasks that work in rounds: whether they only hand work on to others, so that the others are the
  /// units.
  private(set) var dispatches: [Bool]

  init(_ trace: Trace, _ parts: RequestParts, _ window: ClosedRange<Nanoseconds>?) {
    self.trace = trace
    self.window = window
    spans = Dictionary(grouping: trace.spans.filter { $0.context != nil && $0.parent == nil && $0.work != nil }) {
      $0.work ?? WorkID(0)
    }
    self.parts = parts
    loops = TaskLoops(trace, &self.parts.code)
    dispatches = []
    dispatches = dispatchers()
  }

  package mutating func requests(_ trees: Requests.TreeLimits?, isBrief: Bool) -> Requests {
    addSpans()
    addTasks()
    addOthers()
    tellKinds()
    if !isBrief {
      findHottest()
      found.pools = pools()
      found.leaks = leaks()
      found.repeats = repeats()
      found.backlogs = backlogs()
    }
    if let trees { found.trees = self.trees(of: found, trees) }
    found.causes = parts.causes
    found.locations = parts.code.locations
    found.shapes = trace.tasks.indices.map { .init(idle: loops.idle[$0], handsOn: dispatches[Int(loops.group[$0])]) }
    return found
  }

  /// O(samples).
  private mutating func findHottest() {
    var counts: [Int32: Int] = [:]
    for sample in trace.samples {
      let path = parts.code.path(sample.at)
      if path.isOwn { counts[path.function, default: 0] += 1 }
    }
    found.samples = trace.samples.count
    found.hottest = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
      .map { ($0.key, Double($0.value) / Double(max(1, trace.samples.count))) }
  }

  // MARK: - Tasks

  /// The rounds of a task: each from being resumed where it idles to the next time that it idles there.
  private func rounds(
    of task: TaskRecord, idle: FrameID
  ) -> [(began: Nanoseconds, ended: Nanoseconds, first: Int, last: Int)] {
    var rounds: [(began: Nanoseconds, ended: Nanoseconds, first: Int, last: Int)] = []
    var began: (time: Nanoseconds, first: Int)?
    for (index, suspension) in task.suspensions.enumerated() where suspension.at == idle {
      if let began { rounds.append((began.time, max(began.time, suspension.from.time), began.first, index)) }
      began = suspension.to.map { (min($0, max(suspension.from.time, suspension.letGoOn?.time ?? $0)), index + 1) }
    }
    // The last round ends with the task, if it did anything.
    if let began, let over = task.completed, began.first < task.suspensions.count {
      rounds.append((began.time, max(began.time, over), began.first, task.suspensions.count))
    }
    return rounds
  }

  /// Finds groups such as loops that accept connections: most of their rounds make a task that outlives the round, and
  /// wait for nothing else.
  private func dispatchers() -> [Bool] {
    var made = Array(repeating: 0, count: loops.sizes.count)
    var outliving = made
    var rounds = made
    var waits = made
    for (row, times) in loops.idleTimes {
      rounds[Int(loops.group[row])] += times.count
      waits[Int(loops.group[row])] += trace.tasks.withUnsafeBufferPointer { tasks in
        tasks[row].suspensions.count { $0.reason != .executor } - times.count
      }
    }
    for row in trace.tasks.indices {
      trace.tasks.withUnsafeBufferPointer { tasks in
        guard let submitter = tasks[row].submitter, let parent = trace.taskRow(submitter), loops.idle[parent] != nil,
          let submitted = tasks[row].submitted?.time
        else { return }
        made[Int(loops.group[parent])] += 1
        let next = loops.roundEnd(of: parent, after: submitted)
        if let next, tasks[row].over ?? .max > next { outliving[Int(loops.group[parent])] += 1 }
      }
    }
    return made.indices.map {
      outliving[$0] * 2 > max(1, min(made[$0], rounds[$0])) && outliving[$0] * 4 > rounds[$0]
        && waits[$0] * 2 < rounds[$0]
    }
  }

  /// Adds units for the spans of the program's tracer.
  private mutating func addSpans() {
    for (work, spans) in spans.sorted(by: { $0.key < $1.key }) {
      let pieces = trace.task(work)?.pieces(traceEnd: trace.end)
      for span in spans {
        guard let ended = span.ended?.time else {
          found.open += 1
          continue
        }
        guard isWanted(ended) else { continue }
        let location = trace.task(work).map { parts.code.path($0.code) }
        let source = source(.span(span.name)) { parts in
          (span.name, location.flatMap { $0.location < 0 ? nil : parts.code.locations[Int($0.location)] }, true)
        }
        add(
          source, work, span.began.time, max(span.began.time, ended), isFailed: span.status?.code == .error, path: [],
          parts.split(work, span.began.time, ended, pieces: pieces))
      }
    }
  }

  /// Whether the program's own spans cover a part of this work.
  private func hasSpans(_ work: WorkID, _ from: Nanoseconds, _ to: Nanoseconds) -> Bool {
    guard let spans = spans[work] else { return false }
    // Spans are in the order of their begins, and each is over before the next one begins.
    let next = spans.firstSorted { $0.began.time > to }
    return next > 0 && spans[next - 1].ended?.time ?? trace.end >= from
  }

  private mutating func addTasks() {
    for row in trace.tasks.indices {
      let task = trace.tasks[row]
      let group = loops.group[row]
      if let idle = loops.idle[row] {
        guard !dispatches[Int(group)] else { continue }
        addRounds(of: task, idle: idle, group)
      } else if !isPart(task, over: task.over) {
        guard let began = task.submitted?.time ?? task.enqueued?.time ?? task.runs.first?.began else { continue }
        guard let over = task.completed, task.isOutcomeKnown else {
          found.open += 1
          continue
        }
        guard isWanted(over), !hasSpans(task.id, began, over) else { continue }
        let source = source(.task(group: group, isRound: false)) { parts in
          let path = parts.code.path(task.code)
          return (task.kind, path.location < 0 ? nil : parts.code.locations[Int(path.location)], path.isOwn)
        }
        add(
          source, task.id, began, over, isFailed: task.cancelRequested != nil, path: [],
          parts.split(task.id, began, over))
      }
    }
  }

  private mutating func addRounds(of task: TaskRecord, idle: FrameID, _ group: Int32) {
    let rounds = rounds(of: task, idle: idle)
    guard !rounds.isEmpty else { return }
    let base = parts.code.path(idle).functions
    let source = source(.task(group: group, isRound: true)) { parts in
      let path = parts.code.path(idle)
      let own = path.functions.last.map { parts.code.functions[Int($0)] }
      return (
        own?.function ?? task.kind, own ?? (path.location < 0 ? nil : parts.code.locations[Int(path.location)]),
        path.isOwn
      )
    }
    let pieces = task.pieces(traceEnd: trace.end)
    for round in rounds where isWanted(round.ended) && !hasSpans(task.id, round.began, round.ended) {
      // The deepest stack shows most: the code that answers is called from the loop.
      var path: [Int32] = []
      for suspension in task.suspensions[round.first..<round.last] {
        let functions = parts.code.path(suspension.at).functions
        let common = zip(functions, base).prefix { $0 == $1 }.count
        if functions.count - common > path.count { path = Array(functions[common...]) }
      }
      let split = parts.split(task.id, round.began, round.ended, pieces: pieces)
      let isFailed = task.cancelRequested.map { $0 >= round.began && $0 <= round.ended } ?? false
      add(source, task.id, round.began, round.ended, isFailed: isFailed, path: path, split)
    }
  }

  /// Whether work is part of a unit: its submitter's unit must outlive it.
  private func isPart(_ work: some Work, over: Nanoseconds?) -> Bool {
    guard let submitter = work.submitter, let place = trace.workRow(of: submitter) else { return false }
    guard case .task(let row) = place else { return true }
    if loops.idle[row] != nil {
      guard !dispatches[Int(loops.group[row])], let submitted = work.submitted?.time else { return false }
      return over ?? .max <= loops.roundEnd(of: row, after: submitted) ?? trace.tasks[row].over ?? .min
    }
    // The program's main task and its services are no units.
    guard loops.sizes[Int(loops.group[row])] >= 3, let end = trace.tasks[row].over else { return false }
    return over ?? .max <= end
  }

  // MARK: - Operations and blocks

  private mutating func addOthers() {
    for operation in trace.operations where operation.isOutcomeKnown {
      if let adder = trace.submitter(of: operation.id), trace.work(adder) != nil { continue }
      guard let began = operation.submitted?.time ?? operation.began?.time else { continue }
      guard let over = operation.over else {
        found.open += 1
        continue
      }
      guard isWanted(over) else { continue }
      let source = source(.other("operation " + operation.kind)) { _ in
        (operation.kind, operation.codeLocation, true)
      }
      add(
        source, operation.id, began, over, isFailed: operation.cancelRequested != nil, path: [],
        parts.split(operation.id, began, over))
    }
    for block in trace.blocks where block.submitter == nil && block.isOutcomeKnown && block.way != .sync {
      guard let began = block.way == .after ? block.began?.time : block.submitted?.time ?? block.began?.time else {
        continue
      }
      guard let over = block.ended, isWanted(over) else { continue }
      let source = source(.other("block " + block.kind)) { parts in
        let path = parts.code.path(block.code)
        return (block.kind, path.location < 0 ? nil : parts.code.locations[Int(path.location)], path.isOwn)
      }
      add(source, block.id, began, over, isFailed: false, path: [], parts.split(block.id, began, over))
    }
  }

  // MARK: - Units

  private func isWanted(_ end: Nanoseconds) -> Bool { window?.contains(end) ?? true }

  private mutating func source(
    _ source: Source, _ describe: (inout RequestParts) -> (name: String, location: CodeLocation?, isOwn: Bool)
  ) -> Int32 {
    if let index = sources[source] { return index }
    let index = Int32(sourceNames.count)
    sources[source] = index
    let (name, location, isOwn) = describe(&parts)
    let areRounds =
      switch source {
      case .span, .task(_, isRound: true): true
      case .task, .other: false
      }
    sourceNames.append((name, location, isOwn, areRounds))
    return index
  }

  private mutating func add(
    _ source: Int32, _ work: WorkID, _ began: Nanoseconds, _ ended: Nanoseconds, isFailed: Bool, path: [Int32],
    _ split: [Requests.Part]
  ) {
    found.units.append(.init(kind: source, work: work, began: began, ended: ended, isFailed: isFailed))
    found.parts += split
    found.partStarts.append(Int32(found.parts.count))
    paths.append(path)
  }

  // MARK: - Kinds

  /// Splits the rounds of one loop by the first own functions in which they differ: a server's routes.
  private mutating func tellKinds() {
    var members = Array(repeating: [Int](), count: sourceNames.count)
    for index in found.units.indices { members[Int(found.units[index].kind)].append(index) }
    for (source, units) in members.enumerated() where !units.isEmpty {
      let about = sourceNames[source]
      let routes = about.areRounds ? Routes(units, paths) : Routes()
      var groups: [Int32: [Int]] = [:]
      for unit in units { groups[routes.route(of: paths[unit]), default: []].append(unit) }
      for (route, units) in groups.sorted(by: { $0.key < $1.key }) {
        var kind = RequestKind(
          name: about.name, location: about.location, isOwn: about.isOwn, areRounds: about.areRounds)
        if route >= 0 {
          let function = parts.code.functions[Int(route)]
          (kind.name, kind.location, kind.isOwn) = (function.function ?? about.name, function, true)
        }
        kind.measure(units, in: found)
        let number = Int32(found.kinds.count)
        for unit in units { found.units[unit].kind = number }
        found.kinds.append(kind)
      }
    }
    inOrder()
  }

  /// With fewer units than this there is no load to speak of.
  private static let many = 10

  private mutating func inOrder() {
    func rank(_ kind: RequestKind) -> (Int, Nanoseconds) {
      ((kind.isOwn ? 0 : 2) + (kind.count >= Self.many ? 0 : 1), -kind.total)
    }
    let order = found.kinds.indices.sorted { left, right in
      let (a, b) = (rank(found.kinds[left]), rank(found.kinds[right]))
      return a == b ? found.kinds[left].name < found.kinds[right].name : a < b
    }
    var numbers = Array(repeating: Int32(0), count: order.count)
    for (new, old) in order.enumerated() { numbers[old] = Int32(new) }
    found.kinds = order.map { found.kinds[$0] }
    for index in found.units.indices { found.units[index].kind = numbers[Int(found.units[index].kind)] }
  }
}

/// The functions by which rounds of one loop are told apart.
private struct Routes {
  private var names: Set<Int32> = []

  init() {}

  /// Goes inwards from the loop as long as nearly all rounds call the same function; the functions that they call next
  /// are the routes. If the rounds never differ, the outermost function names all of them.
  init(_ units: [Int], _ paths: [[Int32]]) {
    var members = units.filter { !paths[$0].isEmpty }
    if let unit = members.first { names = [paths[unit][0]] }
    var depth = 0
    while true {
      var counts: [Int32: Int] = [:]
      for unit in members where paths[unit].count > depth { counts[paths[unit][depth], default: 0] += 1 }
      let going = counts.values.reduce(0, +)
      guard let (first, most) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return }
      if most * 50 < going * 49 {
        names = Set(counts.keys)
        return
      }
      members = members.filter { paths[$0].count > depth && paths[$0][depth] == first }
      depth += 1
    }
  }

  /// The route of a path; -1: none.
  func route(of path: [Int32]) -> Int32 { path.first { names.contains($0) } ?? -1 }
}
