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
  /// For each release the latest one up to it that let somebody in: the queue was full just before, or the slot was a
  /// barrier's. -1: none.
  private var latestOpening: [Int] = []

  /// O(m log m) for m operations of the queue.
  init(_ places: [Int], of trace: Trace, queue: QueueRecord?) {
    var begins: [Nanoseconds] = []
    for place in places {
      let operation = trace.operations[place]
      guard let began = (operation.started ?? operation.executionBegan)?.time else { continue }
      begins.append(began)
      if let finished = operation.finished?.time {
        releases.append(Release(time: max(began, finished), place: place))
      }
    }
    begins.sort()
    releases.sort { ($0.time, $0.place) < ($1.time, $1.place) }

    var limit = queue?.initialLimit ?? -1
    var changes = (queue?.changes ?? [])[...]
    var begun = 0
    var ended = 0
    var latest = -1
    for (number, release) in releases.enumerated() {
      while let change = changes.first, change.time < release.time {
        if case .limit(let value) = change.kind { limit = value }
        changes.removeFirst()
      }
      while begun < begins.count, begins[begun] < release.time { begun += 1 }
      while ended < number, releases[ended].time < release.time { ended += 1 }
      let holding = begun - ended
      if limit > 0 && holding >= limit || trace.operations[release.place].isBarrier { latest = number }
      latestOpening.append(latest)
    }
  }

  /// The operation whose end let `waiter` in: the latest one after `from` and not after `to`. O(log m).
  func opening(for waiter: Int, isBarrier: Bool, after from: Nanoseconds, upTo to: Nanoseconds) -> Int? {
    var low = 0
    var high = releases.count
    while low < high {
      let middle = (low + high) / 2
      if releases[middle].time <= to { low = middle + 1 } else { high = middle }
    }
    var number = low - 1
    while number >= 0 {
      // A barrier waits for everything before it, full or not.
      if !isBarrier { number = latestOpening[number] }
      guard number >= 0, releases[number].time > from else { return nil }
      if releases[number].place != waiter { return releases[number].place }
      number -= 1
    }
    return nil
  }
}
