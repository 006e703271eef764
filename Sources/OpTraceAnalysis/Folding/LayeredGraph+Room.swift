/// How what a folding has lost is given back as far as there is room.
extension LayeredGraph {
  /// Parts classes so that there are as many as may be. Members stay together that are next to each other in this order,
  /// then in that of the graph.
  ///
  /// - Parameter least: fewer are not worth it if the order does not distinguish them.
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
        // Of one size, and not many full ones and a rest.
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

  /// Those of one kind between two depths, as many such bands as there is room for, and no more lines between them than
  /// that; cycles fold too. Where there are single nodes, bands begin behind these first.
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
      // With as many nodes between two of them.
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
    // More cuts than there are depths with nodes change nothing.
    var more = min(max(0, most), Set(depths).count)
    while more > 0 {
      let finer = classes(more)
      if finer.count <= most, finer.count > plain.count, graph.isClear(finer, mostLines: mostLines) { return finer }
      more = more * 4 / 5
    }
    return plain
  }

  /// Whether there are so few edges, none counted twice.
  func isClear(mostLines: Int) -> Bool { (0..<count).reduce(0) { $0 + after[$1].count } <= mostLines }

  /// Whether lines between so many boxes can still be followed.
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
