import OpTraceKernel
import OpTraceModel

/// Finds why units are slow, besides their own time: pools, leaks, waits that do not end, and repeated calls.
extension RequestFinder {
  /// O(suspensions).
  mutating func pools() -> [Requests.Pool] {
    var rows: [Int32: Int] = [:]
    var pools: [Requests.Pool] = []
    var callers: [[Int32: Int]] = []
    // For each pool: the tasks that got a member, with the times; and who handed one on, and when.
    var got: [[Int: [Nanoseconds]]] = []
    var given: [[(holder: Int, at: Nanoseconds)]] = []
    for row in trace.tasks.indices {
      let task = trace.tasks[row]
      for suspension in task.suspensions where suspension.reason == .continuation && !loops.isIdle(suspension.at, row) {
        let path = parts.code.path(suspension.at)
        guard path.isOwn else { continue }
        let function = path.function
        let index = rows[function] ?? pools.count
        if index == pools.count {
          rows[function] = index
          pools.append(Requests.Pool(location: path.location))
          callers.append([:])
          got.append([:])
          given.append([])
        }
        let end = suspension.resumed?.time ?? suspension.to ?? trace.end
        pools[index].waits.append(max(0, end - suspension.from.time))
        let caller = path.functions.dropLast().last
        if suspension.resumed == nil, suspension.to == nil, task.over == nil {
          pools[index].open += 1
          if suspension.from.time < pools[index].openSince ?? .max {
            pools[index].openSince = suspension.from.time
            pools[index].openCaller = caller.map { parts.code.location(ofFunction: $0) } ?? -1
          }
        } else {
          pools[index].longest = max(pools[index].longest, end - suspension.from.time)
        }
        if let caller { callers[index][caller, default: 0] += 1 }
        // A wait that was ended by a timeout got nothing.
        let isGiven = suspension.resumer.flatMap(trace.taskRow) != nil
        if isGiven { got[index][row, default: []].append(end) }
        if let resumed = suspension.resumed, let by = suspension.resumer, let holder = trace.taskRow(by), holder != row
        {
          pools[index].resumed += 1
          given[index].append((holder, max(resumed.time, suspension.from.time)))
        }
      }
    }
    for index in pools.indices {
      for one in given[index] {
        if let first = got[index][one.holder]?.first, first <= one.at { pools[index].byHolders += 1 }
      }
      pools[index].caller =
        callers[index].max { ($0.value, $1.key) < ($1.value, $0.key) }.map { parts.code.location(ofFunction: $0.key) }
        ?? -1
    }
    return pools.sorted { ($1.waiting.total, $0.location) < ($0.waiting.total, $1.location) }
  }

  /// Groups of tasks that units made and left behind. O(tasks).
  mutating func leaks() -> [Requests.Leak] {
    var leaks: [Int32: Requests.Leak] = [:]
    for row in trace.tasks.indices where loops.idle[row] == nil {
      let task = trace.tasks[row]
      guard let submitted = task.submitted?.time, let submitter = task.submitter, let parent = trace.taskRow(submitter)
      else { continue }
      // The code that accepts connections makes tasks that live as long as the connections.
      let group = loops.group[parent]
      let isUnit =
        loops.idle[parent] != nil
        ? !dispatches[Int(group)] : loops.sizes[Int(group)] >= 3 && trace.tasks[parent].over != nil
      guard isUnit, task.isOutcomeKnown else { continue }
      let code = parts.code.path(task.code).location
      var leak =
        leaks[loops.group[row]]
        ?? Requests.Leak(name: task.kind, code: code, location: -1, first: submitted, last: submitted)
      leak.created += 1
      leak.first = min(leak.first, submitted)
      leak.last = max(leak.last, submitted)
      if task.over == nil {
        leak.alive += 1
        if let last = task.suspensions.last, last.to == nil {
          leak.location = parts.code.path(last.at).location
          leak.reason = last.reason
        }
      }
      leaks[loops.group[row]] = leak
    }
    return leaks.values.filter { $0.alive > 0 }.sorted { ($1.alive, $0.name) < ($0.alive, $1.name) }
  }

  /// Waits in the same functions that follow one another with nothing but pauses in between. Compares functions, not
  /// addresses: a compiler unrolls short loops. O(suspensions).
  mutating func repeats() -> [Requests.Repeat] {
    var found: [[Int32]: (counts: [Int], errors: Int, location: Int32, loop: Int32?)] = [:]
    for row in trace.tasks.indices {
      let task = trace.tasks[row]
      var last: (path: ProgramCode.Path, at: FrameID?, times: Int, wasError: Bool)?
      func close() {
        guard let one = last else { return }
        var known = found[one.path.functions] ?? ([], 0, one.path.location, nil)
        while known.counts.count < one.times { known.counts.append(0) }
        known.counts[one.times - 1] += 1
        found[one.path.functions] = known
        last = nil
      }
      for suspension in task.suspensions where suspension.reason == .continuation {
        let path = parts.code.path(suspension.at)
        guard path.isOwn, !loops.isIdle(suspension.at, row) else {
          close()
          continue
        }
        let isError = suspension.resumption == .error
        if let one = last, one.path.functions == path.functions {
          if one.wasError { found[path.functions, default: ([], 0, path.location, nil)].errors += 1 }
          if found[path.functions]?.loop == nil, let first = one.at, let second = suspension.at, first != second {
            let loop = parts.code.function(inWhich: first, and: second)
            found[path.functions, default: ([], 0, path.location, nil)].loop = loop
          }
          last = (path, suspension.at, one.times + 1, isError)
        } else {
          close()
          last = (path, suspension.at, 1, isError)
        }
      }
      close()
    }
    return found.compactMap { functions, one -> Requests.Repeat? in
      guard one.counts.count > 1 else { return nil }
      let caller = (one.loop ?? functions.dropLast().last).map { parts.code.location(ofFunction: $0) } ?? -1
      return Requests.Repeat(location: one.location, caller: caller, counts: one.counts, errors: one.errors)
    }
    .sorted { ($1.visits, $0.location) < ($0.visits, $1.location) }
  }
}

/// Finds readers of a stream that have always had the next element waiting.
extension RequestFinder {
  /// Tasks that once waited for a stream's elements and do not any more, though they go on. One element may take several waits at one
  /// place: as many as there were between two waits for elements. If there were none, the requests that feed the stream tell whether more
  /// elements came. O(suspensions).
  mutating func backlogs(of requests: Requests) -> [Requests.Backlog] {
    var known: [FrameID: Bool] = [:]
    var feeds: StreamFeeds?
    var backlogs: [Requests.Backlog] = []
    for row in trace.tasks.indices where trace.tasks[row].over == nil && trace.tasks[row].suspensions.count > 1 {
      let task = trace.tasks[row]
      var reads: [TaskRecord.Suspension] = []
      var after: [FrameID: Int] = [:]
      // For each place, the most waits between two for elements.
      var most: [FrameID: Int] = [:]
      for suspension in task.suspensions {
        guard let at = suspension.at else { continue }
        let isRead = known[at] ?? trace.stacks.readsStream(at)
        known[at] = isRead
        if isRead {
          if !reads.isEmpty { most.merge(after, uniquingKeysWith: max) }
          reads.append(suspension)
          after.removeAll(keepingCapacity: true)
        } else if suspension.reason != .executor {
          after[at, default: 0] += 1
        }
      }
      guard let last = reads.last, let since = last.to else { continue }
      var asked: Int?
      if most.isEmpty, after.values.contains(where: { $0 >= Requests.Backlog.leastHandled }) {
        let found = feeds ?? StreamFeeds(requests, trace)
        feeds = found
        guard let came = found.since(reads), came.elements >= Requests.Backlog.leastHandled else { continue }
        asked = came.requests
      }
      guard
        let (at, count) = after.compactMap({ at, waits in
          asked != nil ? (at, waits) : most[at].map { (at, waits / $0) }
        }).max(by: { ($0.1, $1.0.rawValue) < ($1.1, $0.0.rawValue) })
      else { continue }
      backlogs.append(
        Requests.Backlog(
          work: task.id, reader: parts.code.path(last.at).location, location: parts.code.path(at).location,
          since: since, handled: count, requests: asked, isFedByRequests: isFedByRequests(reads)))
    }
    return backlogs.sorted { ($1.handled, $0.work) < ($0.handled, $1.work) }
  }

  /// Whether tasks that work in rounds ended waits for elements. O(reads).
  private func isFedByRequests(_ reads: [TaskRecord.Suspension]) -> Bool {
    reads.contains { $0.resumer.flatMap(trace.taskRow).map { loops.idle[$0] != nil } ?? false }
  }
}
