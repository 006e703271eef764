import OpTraceBlame
import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// How much is found out.
  package enum Depth: Comparable, Sendable {
    /// Units, their kinds and their parts; loops and actors.
    case figures
    /// Also what slow units lose time to.
    case blame
    /// Also pools, leaks, backlogs, repeats and the like.
    case everything
  }

  /// - Parameters:
  ///   - window: only units and waits for actors that end in it, and what loops did in it; nil: all.
  ///   - trees: the units for which ``Requests/trees`` are wanted; nil: none.
  ///   - depth: what is not found out stays empty.
  /// - Complexity: O(n log n) for n pieces of work, suspensions and samples.
  package init(
    of trace: Trace, within window: ClosedRange<Nanoseconds>? = nil, trees: TreeLimits? = nil,
    depth: Depth = .everything
  ) {
    var strands = TraceStrands(trace, ProgramCode(trace.stacks), knowsHolders: depth > .figures)
    let threads = strands.threads
    let actors = ActorUse(trace, &strands.code, threads)
    let loops = LoopUse.all(trace, &strands.code, threads)
    // What a unit waited for may be older than the window.
    let used = window.map { window in
      (
        loops: LoopUse.all(trace, &strands.code, threads, within: window),
        actors: ActorUse(trace, &strands.code, threads, within: window)
      )
    }
    var finder = RequestFinder(trace, RequestParts(strands, actors, loops: loops), window)
    self = finder.requests(trees, depth)
    self.loops = used?.loops ?? loops
    self.actors = (used?.actors ?? actors).all
  }
}

/// Finds units, names their kinds and splits them.
struct RequestFinder {
  /// What units of one kind share, before routes are told apart.
  enum Source: Hashable {
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
  /// Sources whose rounds begin after a sleep.
  var jobs: Set<Int32> = []
  private var sourceNames: [(name: String, location: CodeLocation?, isOwn: Bool, areRounds: Bool)] = []
  /// Rounds that are still to be added, by their sources.
  var noted: [Int32: [Round]] = [:]
  /// By source, the own functions of the stack where these idle, the outermost first.
  var idlePaths: [Int32: [Int32]] = [:]
  /// For each unit what it did, if it is a round.
  private var ways: [Way] = []
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

  package mutating func requests(_ trees: Requests.TreeLimits?, _ depth: Requests.Depth) -> Requests {
    addSpans()
    addTasks()
    addRounds()
    addOthers()
    tellKinds()
    found.shapes = trace.tasks.indices.map {
      .init(idle: loops.places(of: $0), handsOn: dispatches[Int(loops.group[$0])])
    }
    if depth == .everything {
      countSamples()
      found.pools = pools()
      found.leaks = leaks()
      found.repeats = repeats()
      found.backlogs = backlogs(of: found)
      found.growing = OpenWork(trace).growing()
      let calls = UnitCalls(found, trace, &parts.code)
      (found.calls, found.crowds) = (calls.calls(in: found), calls.crowds(in: found))
    }
    if let trees { found.trees = self.trees(of: found, trees) }
    found.causes = parts.causes
    if depth == .figures {
      (found.locations, found.wholeFunctions) = (parts.code.locations, parts.code.wholeFunctions)
    } else {
      var blame = UnitBlame(found, parts.strands)
      found.blamed = blame.all(hasTrees: trees != nil)
      found.blameTrees = blame.trees
      found.beats = blame.beats(of: found.blamed)
      (found.locations, found.wholeFunctions) = (blame.code.locations, blame.code.wholeFunctions)
    }
    return found
  }

  /// O(samples).
  private mutating func countSamples() {
    var counts: [Requests.Sampled: Int] = [:]
    for sample in trace.samples {
      let path = parts.code.path(sample.at)
      guard path.isOwn else { continue }
      let caller = parts.strands.caller(in: path)
      counts[Requests.Sampled(function: path.function, caller: caller), default: 0] += 1
    }
    found.samples = trace.samples.count
    found.sampled = counts.mapValues { Double($0) / Double(max(1, trace.samples.count)) }
  }

  // MARK: - Tasks

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
          source, work, span.began.time, max(span.began.time, ended), isFailed: span.status?.code == .error,
          parts.split(work, span.began.time, ended, pieces: pieces))
      }
    }
  }

  /// Whether the program's own spans cover a part of this work.
  func hasSpans(_ work: WorkID, _ from: Nanoseconds, _ to: Nanoseconds) -> Bool {
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
        noteRounds(of: task, row, idle: idle, group)
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
          source, task.id, began, over, isFailed: task.cancelRequested != nil,
          parts.split(task.id, began, over))
      }
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
        source, operation.id, began, over, isFailed: operation.cancelRequested != nil,
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
      add(source, block.id, began, over, isFailed: false, parts.split(block.id, began, over))
    }
  }

  // MARK: - Units

  func isWanted(_ end: Nanoseconds) -> Bool { window?.contains(end) ?? true }

  mutating func source(
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

  mutating func add(
    _ source: Int32, _ work: WorkID, _ began: Nanoseconds, _ ended: Nanoseconds, isFailed: Bool, way: Way = Way(),
    _ split: [Requests.Part]
  ) {
    found.units.append(.init(kind: source, work: work, began: began, ended: ended, isFailed: isFailed))
    found.parts += split
    found.partStarts.append(Int32(found.parts.count))
    ways.append(way)
  }

  // MARK: - Kinds

  /// Splits the rounds of one loop by their routes.
  private mutating func tellKinds() {
    var members = Array(repeating: [Int](), count: sourceNames.count)
    for index in found.units.indices { members[Int(found.units[index].kind)].append(index) }
    for (source, units) in members.enumerated() where !units.isEmpty {
      let about = sourceNames[source]
      let groups = Dictionary(grouping: units) { ways[$0].route }
      for (route, units) in groups.sorted(by: { $0.key < $1.key }) {
        var kind = RequestKind(
          name: about.name, location: about.location, isOwn: about.isOwn, areRounds: about.areRounds)
        if route >= 0 {
          let function = parts.code.functions[Int(named(route, units))]
          (kind.name, kind.location, kind.isOwn) = (function.function ?? about.name, function, true)
        }
        kind.isJob = jobs.contains(Int32(clamping: source))
        kind.measure(units, in: found)
        let number = Int32(found.kinds.count)
        for unit in units { found.units[unit].kind = number }
        found.kinds.append(kind)
      }
    }
    inOrder()
  }

  /// The function that names a route: a closure is named by what nearly all of its units call next.
  private func named(_ route: Int32, _ units: [Int]) -> Int32 {
    guard parts.code.functions[Int(route)].function?.hasPrefix("closure ") == true else { return route }
    var counts: [Int32: Int] = [:]
    var all = 0
    for unit in units {
      guard let place = ways[unit].path.firstIndex(of: route) else { continue }
      all += 1
      let next = ways[unit].path[(place + 1)...].first {
        parts.code.functions[Int($0)].function?.hasPrefix("closure ") == false
      }
      if let next { counts[next, default: 0] += 1 }
    }
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value * 10 >= all * 9 else {
      return route
    }
    return most.key
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
