import OpTraceAnalysis
import OpTraceModel

extension GraphPictureBuilder {
  /// The lanes in the order of their queues (or classes, by first operation), and the lane of every shown place.
  func makeLanes() -> (lanes: [GraphPicture.Lane], laneOfPlace: [Int: Int]) {
    switch options.grouping {
    case .queue: lanesByQueue()
    case .class: lanesByClass()
    }
  }

  private func lanesByQueue() -> (lanes: [GraphPicture.Lane], laneOfPlace: [Int: Int]) {
    let members = Dictionary(grouping: shown) { trace.operations[$0].queue }
    let inQueues = Dictionary(grouping: trace.operations.indices) { trace.operations[$0].queue }
    var lanes: [GraphPicture.Lane] = []
    var laneOfPlace = [Int: Int](minimumCapacity: shown.count)
    var slugs = Set<String>()
    for id in members.keys.compactMap(\.self).sorted() {
      let queue = trace.queue(id)
      let name = queue.map { TextEscaping.oneLine($0.name, limit: 120) } ?? ""
      let title = name.isEmpty ? "\(id)" : name
      let all = inQueues[id] ?? []
      for place in members[id] ?? [] { laneOfPlace[place] = lanes.count }
      let slug = unique(TextEscaping.slug(title), "\(id.rawValue)", among: &slugs)
      let load = QueueLoad(queue, all.map { trace.operations[$0] }, over: period, traceEnd: trace.end)
      lanes.append(
        GraphPicture.Lane(
          id: "queue-\(slug)", nodeClass: "q-\(slug)", title: title,
          caption: load.caption, tooltip: "queue \(title): \(load.description)",
          style: Palette.lanes[lanes.count % Palette.lanes.count], isBoxed: true,
          isCulprit: stuck.culpritQueues.contains(id)))
    }
    if let outside = members[nil], !outside.isEmpty {
      for place in outside { laneOfPlace[place] = lanes.count }
      lanes.append(
        GraphPicture.Lane(
          id: "no-queue", nodeClass: "", title: "no queue", caption: counted(outside.count, "op"),
          tooltip: "never given to a queue: \(counted(outside.count, "operation"))",
          style: Palette.lanes[Palette.lanes.count - 1], isBoxed: false))
    }
    return (lanes, laneOfPlace)
  }

  private func lanesByClass() -> (lanes: [GraphPicture.Lane], laneOfPlace: [Int: Int]) {
    var lanes: [GraphPicture.Lane] = []
    var laneOfPlace = [Int: Int](minimumCapacity: shown.count)
    var laneOfClass: [String: Int] = [:]
    var members: [[Int]] = []
    var slugs = Set<String>()
    for place in shown {
      let name = trace.operations[place].className
      if let lane = laneOfClass[name] {
        laneOfPlace[place] = lane
        members[lane].append(place)
        continue
      }
      laneOfClass[name] = lanes.count
      laneOfPlace[place] = lanes.count
      members.append([place])
      let title = TextEscaping.oneLine(name, limit: 120)
      let slug = unique(TextEscaping.slug(title), "\(lanes.count + 1)", among: &slugs)
      lanes.append(
        GraphPicture.Lane(
          id: "class-\(slug)", nodeClass: "c-\(slug)", title: title.isEmpty ? "(no class)" : title, caption: "",
          tooltip: "", style: Palette.lanes[lanes.count % Palette.lanes.count], isBoxed: true))
    }
    for (number, places) in members.enumerated() {
      let running = places.reduce(0) { $0 + OperationTimes(of: trace.operations[$1], traceEnd: trace.end).running }
      lanes[number].caption = "\(counted(places.count, "op")) · \(DurationText.text(running)) of work"
      lanes[number].tooltip = "class \(lanes[number].title): \(lanes[number].caption)"
    }
    return (lanes, laneOfPlace)
  }

  private func unique(_ slug: String, _ number: String, among taken: inout Set<String>) -> String {
    var candidate = slug.isEmpty ? number : slug
    while !taken.insert(candidate).inserted { candidate += "-\(number)" }
    return candidate
  }
}

/// "1 op", "8 ops".
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(grouped(count)) \(noun)s" }

/// What a queue had to do, and what it could have done.
private struct QueueLoad {
  var limit: Int
  var isSuspended: Bool
  var count: Int
  var work: Nanoseconds = 0
  /// Work as a part of what the limit allowed over the period; nil where the system set the limit.
  var busy: Double?

  init(
    _ queue: QueueRecord?, _ operations: [OperationRecord], over period: ClosedRange<Nanoseconds>,
    traceEnd: Nanoseconds
  ) {
    limit = queue?.limit ?? -1
    isSuspended = queue?.isSuspended ?? false
    count = operations.count
    for operation in operations { work += OperationTimes(of: operation, traceEnd: traceEnd).running }

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
