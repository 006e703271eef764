import OpTraceKernel
import OpTraceModel

/// Finds the rounds of tasks that idle at the same place again and again.
extension RequestFinder {
  /// A round, or what a task did before it idled for the first time.
  struct Round {
    /// An index of a task.
    var task: Int
    var began: Nanoseconds
    var ended: Nanoseconds
    /// Its suspensions, by their indexes in the task.
    var suspensions: Range<Int>
    /// What a task did before it idled at all.
    var isHead: Bool
    /// What it did when it idled no more, until it ended.
    var isTail = false
  }

  /// What a round did: the function that names its route, -1: none; and the own functions of its deepest stack, below the loop.
  struct Way {
    var route: Int32 = -1
    var path: [Int32] = []
  }

  /// The stretches of a task's rounds: each from being resumed where it idles to the next time that it idles there, with the indexes of
  /// the suspensions in between. First what it did before it idled at all, if it waited meanwhile.
  private func stretches(of row: Int) -> [Round] {
    let task = trace.tasks[row]
    var found: [Round] = []
    var began: (time: Nanoseconds, first: Int, isHead: Bool)? = task.runs.first.map { ($0.began, 0, true) }
    for (index, suspension) in task.suspensions.enumerated() where loops.isIdle(suspension.at, row) {
      if let began, !began.isHead || index > 0 {
        found.append(
          Round(
            task: row, began: began.time, ended: max(began.time, suspension.from.time),
            suspensions: began.first..<index,
            isHead: began.isHead))
      }
      began = suspension.to.map {
        (min($0, max(suspension.from.time, suspension.letGoOn?.time ?? $0)), index + 1, false)
      }
    }
    // The last round ends with the task, if it did anything.
    if let began, !began.isHead, let over = task.completed, began.first < task.suspensions.count {
      found.append(
        Round(
          task: row, began: began.time, ended: max(began.time, over), suspensions: began.first..<task.suspensions.count,
          isHead: false, isTail: true))
    }
    return found
  }

  /// Keeps the rounds of a task, to add them when the routes of all are known.
  mutating func noteRounds(of task: TaskRecord, _ row: Int, idle: FrameID, _ group: Int32) {
    let base = parts.code.path(idle).functions
    let source = source(.task(group: group, isRound: true)) { parts in
      let path = parts.code.path(idle)
      let own = path.functions.last.map { parts.code.functions[Int($0)] }
      return (
        own?.function ?? task.kind, own ?? (path.location < 0 ? nil : parts.code.locations[Int(path.location)]),
        path.isOwn
      )
    }
    for one in stretches(of: row) where isWanted(one.ended) && !hasSpans(task.id, one.began, one.ended) {
      noted[source, default: []].append(one)
    }
    idlePaths[source] = base
    if task.suspensions.first(where: { $0.at == idle })?.reason == .sleep { jobs.insert(source) }
  }

  /// The own functions on the stacks of its waits, below the loop: each stack once, in the order of time, without those that have none.
  private mutating func paths(of round: Round, below base: [Int32]) -> [[Int32]] {
    var paths: [[Int32]] = []
    var seen: Set<FrameID> = []
    for suspension in trace.tasks[round.task].suspensions[round.suspensions] {
      guard let at = suspension.at, seen.insert(at).inserted else { continue }
      let functions = parts.code.path(at).functions
      let common = zip(functions, base).prefix { $0 == $1 }.count
      if functions.count > common { paths.append(Array(functions[common...])) }
    }
    return paths
  }

  /// Where rounds wait that have a beginning and an end.
  private func places(of rounds: [Round]) -> Set<FrameID> {
    var places: Set<FrameID> = []
    for round in rounds where !round.isHead && !round.isTail {
      for suspension in trace.tasks[round.task].suspensions[round.suspensions] {
        if let at = suspension.at { places.insert(at) }
      }
    }
    return places
  }

  private func waits(_ round: Round, at places: Set<FrameID>) -> Bool {
    trace.tasks[round.task].suspensions[round.suspensions].contains { $0.at.map(places.contains) ?? false }
  }

  /// Adds the rounds. What a task did first is one if it took a route that rounds take: the request was there already. Else it is what a
  /// connection begins with, such as a handshake. What it did last is none if it waited only where no other round does: it closes.
  mutating func addRounds() {
    for (source, noted) in noted.sorted(by: { $0.key < $1.key }) {
      let places = places(of: noted)
      let rounds = RoundBorders(noted, trace).split(noted, trace).filter {
        !$0.isTail || places.isEmpty || waits($0, at: places)
      }
      let ways = rounds.map { paths(of: $0, below: idlePaths[source] ?? []) }
      let routes = Routes(zip(rounds, ways).lazy.filter { !$0.0.isHead }.map(\.1))
      var pieces: (task: Int, all: [TaskPiece]) = (-1, [])
      for (round, paths) in zip(rounds, ways) {
        let route = routes.route(of: paths)
        guard !round.isHead || route >= 0 else { continue }
        let task = trace.tasks[round.task]
        if pieces.task != round.task { pieces = (round.task, task.pieces(traceEnd: trace.end)) }
        let split = parts.split(task.id, round.began, round.ended, pieces: pieces.all)
        let isFailed = task.cancelRequested.map { $0 >= round.began && $0 <= round.ended } ?? false
        // The deepest stack shows most: the code that answers is called from the loop.
        let deepest = paths.reduce(into: [Int32]()) { if $1.count > $0.count { $0 = $1 } }
        add(
          source, task.id, round.began, round.ended, isFailed: isFailed, way: Way(route: route, path: deepest), split)
      }
    }
    noted = [:]
  }
}
