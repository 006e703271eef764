import OpTraceKernel

/// Gives back what a folding has lost, as far as there is room.
extension LayeredGraph {
  /// Splits classes into as many as allowed. Members that are adjacent in this order, or else in the graph's order,
  /// stay together.
  ///
  /// - Parameter least: with fewer classes, splitting is not worth it unless the order distinguishes the members.
  func parted(_ classes: Classes, by order: [Int32], least: Int, most: Int) -> Classes {
    var members = Array(repeating: [Int](), count: classes.count)
    for node in 0..<count { members[Int(classes.numbers[node])].append(node) }
    for number in members.indices where members[number].count > 1 {
      members[number].sort { (order[$0], $0) < (order[$1], $1) }
    }
    func parts(of size: Int) -> Classes {
      var numbers = [Int32](repeating: 0, count: count)
      var next: Int32 = 0
      for group in members {
        // Parts of equal size, instead of many full ones and a rest.
        let parts = (group.count + size - 1) / size
        for (index, node) in group.enumerated() { numbers[node] = next + Int32(index * parts / group.count) }
        next += Int32(parts)
      }
      return Classes(of: numbers)
    }
    let largest = members.map(\.count).max() ?? 1
    var size = 2
    while size < largest {
      let count = members.reduce(0) { $0 + ($1.count + size - 1) / size }
      if count < least, !members.contains(where: { order[$0.first ?? 0] != order[$0.last ?? 0] }) { break }
      if count <= most {
        let finer = parts(of: size)
        if isClear(finer, mostLines: 2 * most) { return finer }
      }
      size = max(size + 1, size * 5 / 4)
    }
    return classes
  }

  /// Bands of one kind between two depths: as many as there is room for, with at most `mostLines` lines between them.
  /// Cycles fold too. If there are single nodes, bands begin behind them first.
  func bands(_ kinds: [Int32], isWhole: [Bool], most: Int, mostLines: Int) -> Classes {
    let folded = (0..<count).filter { !isWhole[$0] }
    let room = max(1, most - (count - folded.count)) / max(1, Set(folded.map { kinds[$0] }).count)
    let whole = Set((0..<count).lazy.filter { isWhole[$0] }.map { depth[$0] }).sorted()
    var cuts = min(whole.count, max(0, room - 1))
    let depths = folded.map { depth[$0] }.sorted()
    var graph = self
    graph.isFixed = isWhole
    func classes(_ more: Int) -> Classes {
      var isCut = [Bool](repeating: false, count: Int(depth.max() ?? 0) + 1)
      for number in 0..<cuts { isCut[Int(whole[(2 * number + 1) * whole.count / (2 * cuts)])] = true }
      // Place these cuts so that equally many nodes are between them.
      for cut in 0..<more { isCut[Int(depths[(cut + 1) * depths.count / (more + 1)])] = true }
      var band: Int32 = 0
      let bandOfDepth = isCut.map { isCut -> Int32 in
        if isCut { band += 1 }
        return band
      }
      return Classes(of: graph.pairs(kinds, depth.map { bandOfDepth[Int($0)] }))
    }
    var plain = classes(0)
    while cuts > 0, !graph.isClear(plain, mostLines: mostLines) {
      cuts = cuts * 4 / 5
      plain = classes(0)
    }
    // More cuts than depths with nodes change nothing.
    var more = min(max(0, most), Set(depths).count)
    while more > 0 {
      let finer = classes(more)
      if finer.count <= most, finer.count > plain.count, graph.isClear(finer, mostLines: mostLines) { return finer }
      more = more * 4 / 5
    }
    return plain
  }

  /// Whether there are at most that many edges; none is counted twice.
  func isClear(mostLines: Int) -> Bool { (0..<count).reduce(0) { $0 + after[$1].count } <= mostLines }

  /// Whether the lines between that many boxes can still be followed.
  private func isClear(_ classes: Classes, mostLines: Int) -> Bool {
    var links = Set<UInt64>()
    for node in 0..<count {
      let from = classes.numbers[node]
      for other in after[node] where classes.numbers[Int(other)] != from {
        links.insert(UInt64(UInt32(bitPattern: from)) << 32 | UInt64(UInt32(bitPattern: classes.numbers[Int(other)])))
        if links.count > mostLines { return false }
      }
    }
    return true
  }
}
