import OpTraceDoctor
import OpTraceModel
import OpTraceText

extension StuckPart {
  /// Returns what a picture of the stuck part alone shows: cycles, culprits, and what waits for them across at most
  /// `hops` operations. In ascending order, and no more than a reader can take in.
  func surroundings(hops: Int) -> [Int] {
    var shown = Set(cycles.keys).union(culprits)
    let behind = waiters()
    var room = Self.mostBehind
    func add(_ indexes: [Int]) -> [Int] {
      let new = indexes.filter { !shown.contains($0) }.prefix(room)
      room -= new.count
      shown.formUnion(new)
      return Array(new)
    }
    // Operations held by a suspended queue do not wait for any operation, so they are added here.
    var ring = shown.sorted() + add(culpritQueues.isEmpty ? [] : held.sorted())
    for _ in 0..<max(0, hops) where !ring.isEmpty {
      ring = add(Array(Set(ring.flatMap { behind[$0] ?? [] })).sorted())
    }
    return shown.sorted()
  }

  /// The most operations behind the culprits that are shown.
  static let mostBehind = 40

  /// Returns the waiters, by the operation that they wait for.
  private func waiters() -> [Int: [Int]] {
    var waiters: [Int: [Int]] = [:]
    for index in stalled.sorted() {
      for link in obstacles(of: index) { waiters[link.target, default: []].append(index) }
    }
    return waiters
  }

  /// Operations that wait behind one cycle or culprit and are not shown.
  struct Crowd {
    /// Their indexes, in ascending order.
    var members: [Int] = []
    /// The shown operations that some of them wait for, with the number of those that wait.
    var behind: [Int: Int] = [:]
  }

  /// Returns everything that waits and is not shown. Each operation occurs once, with the first cycle or culprit that
  /// it is found behind.
  func crowds(behind shown: some Sequence<Int>) -> [Crowd] {
    let shown = Set(shown)
    guard stalled.contains(where: { !shown.contains($0) }) else { return [] }
    let waiters = waiters()
    var isSeen = Set<Int>()
    var crowds: [Crowd] = []
    func gather(from roots: [Int], _ more: [Int]) {
      var next = roots + more
      isSeen.formUnion(next)
      var crowd = Crowd(members: more.filter { !shown.contains($0) })
      while let index = next.popLast() {
        for waiter in waiters[index] ?? [] {
          if shown.contains(index), !shown.contains(waiter) { crowd.behind[index, default: 0] += 1 }
          guard isSeen.insert(waiter).inserted else { continue }
          next.append(waiter)
          if !shown.contains(waiter) { crowd.members.append(waiter) }
        }
      }
      crowd.members.sort()
      if !crowd.members.isEmpty { crowds.append(crowd) }
    }
    for cycle in Set(cycles.values).sorted() {
      gather(from: cycles.keys.filter { cycles[$0] == cycle }.sorted(), [])
    }
    for culprit in culprits.sorted() where !isSeen.contains(culprit) { gather(from: [culprit], []) }
    // What remains: operations held by a suspended queue, and anything else.
    let queues = Dictionary(grouping: stalled.filter { !isSeen.contains($0) }) { trace.operations[$0].queue }
    for (_, indexes) in queues.sorted(by: { ($0.value.min() ?? 0) < ($1.value.min() ?? 0) }) {
      gather(from: [], indexes.filter { !isSeen.contains($0) }.sorted())
    }
    return crowds
  }
}

extension GraphPictureBuilder {
  /// Adds a box for each crowd that waits behind what `--deadlock` shows.
  func addCrowds(to picture: inout GraphPicture, _ laneOfNode: [Int32]) {
    func home(_ index: Int) -> String {
      options.grouping == .class
        ? trace.operations[index].kind : trace.operations[index].queue.map { "\($0.rawValue)" } ?? ""
    }
    var lanes: [String: Int] = [:]
    var nodes: [Int: Int] = [:]
    for (number, index) in shown.enumerated() {
      lanes[home(index)] = Int(laneOfNode[number])
      nodes[index] = number
    }
    var several: Int?
    for (number, crowd) in stuck.crowds(behind: shown).enumerated() {
      var box = FoldedBox()
      let homes = Set(crowd.members.map(home))
      let known = homes.count == 1 ? homes.first.flatMap { lanes[$0] } : nil
      let lane = known ?? several ?? picture.lanes.count
      if known == nil, several == nil {
        several = lane
        picture.lanes.append(PictureFolding.lane(options.grouping))
      }
      for index in crowd.members { box.add(index, lane: lane, in: self) }
      var node = node(of: box, number: number + 1, lane: lane)
      node.tooltip = "\(node.name)\n\(node.tooltip)"
      node.name = "+ \(grouped(box.count)) waiting behind it"
      if known == nil { node.caption = queueNames(of: crowd.members) }
      for (index, count) in crowd.behind.sorted(by: { $0.key < $1.key }) {
        guard let from = nodes[index] else { continue }
        picture.edges.append(
          GraphPicture.Edge(
            from: from, to: picture.nodes.count, isOpen: true, label: count > 1 ? "×\(grouped(count))" : nil,
            count: count))
      }
      picture.nodes.append(node)
    }
  }

  /// "in network, store and 2 more"
  private func queueNames(of indexes: [Int]) -> String {
    let names = Set(indexes.map { trace.operations[$0].queue }).map { queue -> String in
      guard let queue else { return "no queue" }
      return TextEscaping.oneLine(trace.queue(queue)?.name ?? "\(queue)", limit: 40)
    }.sorted()
    return "in " + names.prefix(2).joined(separator: ", ") + (names.count > 2 ? " and \(names.count - 2) more" : "")
  }
}
