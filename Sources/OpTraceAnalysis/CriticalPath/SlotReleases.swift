import OpTraceModel

/// When the slots of one queue came free, and whether somebody can have been waiting for them.
struct SlotReleases {
  private struct Release {
    var time: Nanoseconds
    /// In `trace.operations`.
    var place: Int
  }

  /// By time.
  private var releases: [Release] = []
  /// For each release the latest one up to it at which the queue was full just before. -1: none.
  private var latestFull: [Int32] = []
  /// For each release the latest one up to it that ended a barrier. -1: none. Empty: there are none at all.
  private var latestBarrier: [Int32] = []

  /// O(m log m) for m operations of the queue.
  init(_ places: some Collection<Int>, of trace: Trace, queue: QueueRecord?) {
    func began(_ place: Int) -> Nanoseconds? {
      (trace.operations[place].started ?? trace.operations[place].executionBegan)?.time
    }
    releases.reserveCapacity(places.count)
    for place in places {
      guard let began = began(place), let finished = trace.operations[place].finished?.time else { continue }
      releases.append(Release(time: max(began, finished), place: place))
    }
    releases.sort { ($0.time, $0.place) < ($1.time, $1.place) }
    // Only now, since sorting takes room too.
    var begins: [Nanoseconds] = []
    begins.reserveCapacity(places.count)
    for place in places { if let began = began(place) { begins.append(began) } }
    begins.sort()

    var limit = queue?.initialLimit ?? -1
    var changes = (queue?.changes ?? [])[...]
    var begun = 0
    var ended = 0
    var full: Int32 = -1
    var barrier: Int32 = -1
    latestFull.reserveCapacity(releases.count)
    let hasBarriers = places.contains { trace.operations[$0].isBarrier }
    for (number, release) in releases.enumerated() {
      while let change = changes.first, change.time < release.time {
        if case .limit(let value) = change.kind { limit = value }
        changes.removeFirst()
      }
      while begun < begins.count, begins[begun] < release.time { begun += 1 }
      while ended < number, releases[ended].time < release.time { ended += 1 }
      if limit > 0, begun - ended >= limit { full = Int32(number) }
      if trace.operations[release.place].isBarrier { barrier = Int32(number) }
      latestFull.append(full)
      if hasBarriers { latestBarrier.append(barrier) }
    }
  }

  /// The operation whose end let the one at `waiter` in, up to `to`: the latest one that gave it a slot of a full queue
  /// after `runnable`, or that stood before it as a barrier (or behind which it stands as one) after `from`.
  ///
  /// A barrier delays readiness too: it may have ended before `runnable`. O(log m), but for barriers that were enqueued
  /// later than the waiter.
  func opening(
    for waiter: Int, in trace: Trace, from: Nanoseconds, runnable: Nanoseconds, upTo to: Nanoseconds
  ) -> (place: Int, time: Nanoseconds)? {
    var low = 0
    var high = releases.count
    while low < high {
      let middle = (low + high) / 2
      if releases[middle].time <= to { low = middle + 1 } else { high = middle }
    }
    let isBarrier = trace.operations[waiter].isBarrier
    let enqueued = trace.operations[waiter].enqueued?.time ?? .min
    let byBarrier = search(
      from: low - 1, after: from, { isBarrier ? $0 : latestBarrier.isEmpty ? -1 : Int(latestBarrier[$0]) }
    ) { place in
      place != waiter && (trace.operations[place].enqueued?.time ?? .max) <= enqueued
    }
    let bySlot = search(from: low - 1, after: runnable, { Int(latestFull[$0]) }) { $0 != waiter }
    let latest = max(byBarrier ?? -1, bySlot ?? -1)
    return latest < 0 ? nil : (releases[latest].place, releases[latest].time)
  }

  private func search(
    from start: Int, after time: Nanoseconds, _ step: (Int) -> Int, _ accepts: (Int) -> Bool
  ) -> Int? {
    var number = start
    while number >= 0 {
      number = step(number)
      guard number >= 0, releases[number].time > time else { return nil }
      if accepts(releases[number].place) { return number }
      number -= 1
    }
    return nil
  }
}
