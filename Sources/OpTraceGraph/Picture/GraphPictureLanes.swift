import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceText

extension GraphPictureBuilder {
  /// Returns the lanes in the order of their queues (or classes, by first operation), and the lane of each operation
  /// that is shown.
  func makeLanes() -> (lanes: [GraphPicture.Lane], laneOfNode: [Int32]) {
    switch options.grouping {
    case .queue: lanesByQueue()
    case .class: lanesByClass()
    }
  }

  private func lanesByQueue() -> (lanes: [GraphPicture.Lane], laneOfNode: [Int32]) {
    let members = QueueMembers(trace)
    var lanes: [GraphPicture.Lane] = []
    var slugs = Set<String>()
    let titles = QueueTitles(trace)
    var laneOfQueue: [QueueID: Int32] = [:]
    for id in shownQueues().sorted() {
      let queue = trace.queue(id)
      let name = queue.map { TextEscaping.oneLine($0.name, limit: 120) } ?? ""
      let slug = unique(TextEscaping.slug(name.isEmpty ? "\(id)" : name), "\(id.rawValue)", among: &slugs)
      let title = TextEscaping.oneLine(queue.map { titles.title(of: $0) } ?? "\(id)", limit: 120)
      laneOfQueue[id] = Int32(lanes.count)
      let work = members[id].reduce(Nanoseconds(0)) {
        $0 + OperationTimes(of: trace.operations[$1], traceEnd: trace.end).running
      }
      let load = QueueLoad(queue, count: members[id].count, work: work, over: period)
      lanes.append(
        GraphPicture.Lane(
          id: "queue-\(slug)", nodeClass: "q-\(slug)", title: title,
          caption: load.caption, tooltip: (name.isEmpty ? title : "queue \(name)") + ": \(load.description)",
          style: Palette.lanes[lanes.count % Palette.lanes.count], isBoxed: true,
          isCulprit: stuck.culpritQueues.contains(id)))
    }
    let outside = Int32(lanes.count)
    var outsideCount = 0
    var last: (queue: QueueID, lane: Int32)?
    let laneOfNode = shown.map { index -> Int32 in
      guard let queue = trace.operations[index].queue, let lane = last?.queue == queue ? last?.lane : laneOfQueue[queue]
      else {
        outsideCount += 1
        return outside
      }
      last = (queue, lane)
      return lane
    }
    if outsideCount > 0 {
      lanes.append(
        GraphPicture.Lane(
          id: "no-queue", nodeClass: "", title: "no queue", caption: counted(outsideCount, "op"),
          tooltip: "never given to a queue: \(counted(outsideCount, "operation"))",
          style: Palette.lanes[Palette.lanes.count - 1], isBoxed: false))
    }
    return (lanes, laneOfNode)
  }

  private func shownQueues() -> Set<QueueID> {
    var queues: Set<QueueID> = []
    // Most operations are given to the same queue as the one before them.
    var last: QueueID?
    for index in shown {
      guard let queue = trace.operations[index].queue, queue != last else { continue }
      queues.insert(queue)
      last = queue
    }
    return queues
  }

  private func lanesByClass() -> (lanes: [GraphPicture.Lane], laneOfNode: [Int32]) {
    var laneOfClass: [String: Int32] = [:]
    var names: [String] = []
    var work: [(count: Int, time: Nanoseconds)] = []
    let laneOfNode = shown.map { index -> Int32 in
      let name = trace.operations[index].kind
      let lane = laneOfClass[name] ?? Int32(names.count)
      if lane == names.count {
        laneOfClass[name] = lane
        names.append(name)
        work.append((0, 0))
      }
      work[Int(lane)].count += 1
      work[Int(lane)].time += OperationTimes(of: trace.operations[index], traceEnd: trace.end).running
      return lane
    }
    var slugs = Set<String>()
    let lanes = names.enumerated().map { number, name in
      let title = TextEscaping.oneLine(name, limit: 120)
      let slug = unique(TextEscaping.slug(title), "\(number + 1)", among: &slugs)
      let shownTitle = title.isEmpty ? "(no class)" : title
      let caption = "\(counted(work[number].count, "op")) · \(DurationText.text(work[number].time)) of work"
      return GraphPicture.Lane(
        id: "class-\(slug)", nodeClass: "c-\(slug)", title: shownTitle, caption: caption,
        tooltip: "class \(shownTitle): \(caption)", style: Palette.lanes[number % Palette.lanes.count], isBoxed: true)
    }
    return (lanes, laneOfNode)
  }

  private func unique(_ slug: String, _ number: String, among taken: inout Set<String>) -> String {
    var candidate = slug.isEmpty ? number : slug
    while !taken.insert(candidate).inserted { candidate += "-\(number)" }
    return candidate
  }
}

/// What a queue had to do, compared with what it could have done.
private struct QueueLoad {
  var limit: Int
  var isSuspended: Bool
  var count: Int
  var work: Nanoseconds
  /// The work as a fraction of what the limit allowed over the period. Nil: the system set the limit.
  var busy: Double?

  init(_ queue: QueueRecord?, count: Int, work: Nanoseconds, over period: ClosedRange<Nanoseconds>) {
    limit = queue?.limit ?? -1
    isSuspended = queue?.isSuspended ?? false
    self.count = count
    self.work = work

    var capacity = 0.0
    var now = queue?.initialLimit ?? -1
    var since = period.lowerBound
    var isKnown = now >= 0
    func pass(to time: Nanoseconds) {
      let until = min(max(time, since), period.upperBound)
      capacity += Double(until - since) * Double(max(0, now))
      since = until
    }
    for change in queue?.changes ?? [] {
      guard case .limit(let value) = change.kind else { continue }
      pass(to: change.time)
      now = value
      if value < 0, change.time < period.upperBound { isKnown = false }
    }
    pass(to: period.upperBound)
    if isKnown, capacity > 0 { busy = min(1, Double(work) / capacity) }
  }

  private var limitText: String {
    switch limit {
    case 1: "serial"
    case ..<0: "no limit"
    default: "max \(limit)"
    }
  }

  var caption: String {
    var parts = [limitText, counted(count, "op")]
    if let busy { parts.append("\(Int((busy * 100).rounded())) % busy") }
    if isSuspended { parts.append("suspended") }
    return parts.joined(separator: " · ")
  }

  var description: String {
    var parts = [limitText, counted(count, "operation"), "\(DurationText.text(work)) of work"]
    if let busy { parts.append("\(Int((busy * 100).rounded())) % of what its limit allows") }
    if isSuspended { parts.append("suspended at the end") }
    return parts.joined(separator: ", ")
  }
}
