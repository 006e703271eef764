import OpTraceBlame
import OpTraceModel
import TestSupport
import Testing

/// Strands that do at each tick what a table says.
private struct Table: BlameSource {
  enum Does: Equatable {
    case ends(Int)
    case waits(Int, by: [Int])
  }

  /// By strand and tick.
  var ticks: [[Does]]
  let endless = -1

  func pieces(of strand: Int, from: Nanoseconds, to: Nanoseconds) -> [BlamePiece<Int, Int, Int>] {
    var found: [BlamePiece<Int, Int, Int>] = []
    for tick in from..<to {
      let state: BlamePiece<Int, Int, Int>.State =
        switch ticks[strand][Int(tick)] {
        case .ends(let end): .ends(end)
        case .waits(let resource, let holders): .waits(resource, by: holders, orElse: -2)
        }
      if let last = found.last, last.state == state {
        found[found.count - 1].ended = tick + 1
      } else {
        found.append(BlamePiece(tick, tick + 1, state))
      }
    }
    return found
  }

  /// The definition, tick by tick: what a strand's time is given to, as a share of the tick by end.
  func shares(of strand: Int, at tick: Int, met: [Int]) -> [Int: Double] {
    switch ticks[strand][tick] {
    case .ends(let end): return [end: 1]
    case .waits(_, let holders):
      if holders.isEmpty { return [-2: 1] }
      var sums: [Int: Double] = [:]
      for holder in holders {
        let shares = met.contains(holder) ? [endless: 1] : self.shares(of: holder, at: tick, met: met + [holder])
        for (end, share) in shares { sums[end, default: 0] += share / Double(holders.count) }
      }
      return sums
    }
  }
}

@Suite("Passing blame on") struct BlameEngineTests {
  @Test("where each of many waits for all others, it ends, and no time is lost") func manyWaitForMany() {
    let count = 64
    var table = Table(ticks: (0..<count).map { own in [.waits(7, by: (0..<count).filter { $0 != own })] })
    let blame = Blame(0, from: 0, to: 1, in: &table)
    #expect(abs(blame.shares.reduce(0) { $0 + $1.time } - 1) < 1e-9)
    #expect(blame.shares.allSatisfy { $0.end == table.endless })
    #expect(blame.shares.count <= 30_000)
  }

  @Test(arguments: 0..<300) func blameIsWhatTheDefinitionSaysAtEachMoment(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    let strands = Int.random(in: 1...6, using: &random)
    let length = Int.random(in: 1...30, using: &random)
    var ticks: [[Table.Does]] = []
    for _ in 0..<strands {
      var line: [Table.Does] = []
      while line.count < length {
        let holders = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0..<strands, using: &random)
        }
        let does: Table.Does =
          Bool.random(using: &random)
          ? .ends(Int.random(in: 0..<4, using: &random)) : .waits(7, by: Array(Set(holders)).sorted())
        line += Array(repeating: does, count: Int.random(in: 1...8, using: &random))
      }
      ticks.append(Array(line.prefix(length)))
    }
    var table = Table(ticks: ticks)
    var from = Int.random(in: 0...length, using: &random)
    var to = Int.random(in: 0...length, using: &random)
    if from > to { swap(&from, &to) }
    let blame = Blame(0, from: Nanoseconds(from), to: Nanoseconds(to), in: &table)
    var found: [Int: Double] = [:]
    for share in blame.shares { found[share.end, default: 0] += share.time }
    var wanted: [Int: Double] = [:]
    for tick in from..<to {
      for (end, share) in table.shares(of: 0, at: tick, met: [0]) { wanted[end, default: 0] += share }
    }
    #expect(Set(found.keys) == Set(wanted.keys))
    for (end, time) in wanted { #expect(abs(time - found[end, default: 0]) < 1e-9) }
    #expect(abs(found.values.reduce(0, +) - Double(to - from)) < 1e-9)
  }

  @Test func aCircleOfWaitsEnds() {
    var table = Table(ticks: [[.waits(1, by: [1])], [.waits(2, by: [0])]])
    let blame = Blame(0, from: 0, to: 1, in: &table)
    #expect(blame.shares.map(\.end) == [-1])
    #expect(blame.shares.map { $0.hops.map(\.resource) } == [[1, 2]])
  }

  @Test func aLongChainEnds() {
    let count = 100
    var table = Table(ticks: (0..<count).map { [.waits($0, by: [$0 + 1 < count ? $0 + 1 : 0])] })
    let blame = Blame(0, from: 0, to: 1, in: &table)
    #expect(blame.shares.map(\.end) == [-1])
  }
}
