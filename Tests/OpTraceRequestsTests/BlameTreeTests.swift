@testable import OpTraceRequests
import OpTraceBlame
import OpTraceModel
import OpTraceText
import TestSupport
import Testing

@Suite("How the time of slow units was passed on")
struct BlameTreeTests {
  private func requests(_ make: ServiceTrace, end: Int, hasTrees: Bool = true) throws -> Requests {
    Requests(of: try make.built(end: end), trees: hasTrees ? .init(kinds: 1, units: 1) : nil)
  }

  /// The share of all time that has each way to an end, by the titles of its steps.
  private func ways(_ requests: Requests, _ tree: Requests.BlameTree) -> [[String]: Double] {
    var sums: [[String]: Double] = [:]
    let all = tree.shares.reduce(0) { $0 + $1.time }
    for share in tree.shares {
      var way: [String] = []
      var node = share.node
      while node >= 0 {
        way.insert(requests.words(tree.nodes[Int(node)].step).title, at: 0)
        node = tree.nodes[Int(node)].parent
      }
      sums[way, default: 0] += share.time / all
    }
    return sums
  }

  private func value(_ key: String, in object: JSONValue) -> JSONValue? {
    guard case .object(let members) = object else { return nil }
    return members.first { $0.key == key }?.value
  }

  private func list(_ value: JSONValue?) -> [JSONValue] {
    guard case .array(let values) = value else { return [] }
    return values
  }

  /// By culprit, what `requests --json` says that slow units of a kind lose, in nanoseconds.
  private func told(_ requests: Requests, _ kind: Int) -> [String: Double] {
    let kinds = list(value("kinds", in: RequestsJSON(requests).value(slowest: 0)))
    var sums: [String: Double] = [:]
    for one in list(value("blame", in: kinds[kind])) {
      guard case .string(let word) = value("culprit", in: one), case .seconds(let time) = value("tailSeconds", in: one)
      else { continue }
      sums[word, default: 0] += Double(time)
    }
    return sums
  }

  @Test("the leaves of a kind add up to what 'requests --json' says, by culprit", arguments: [0, 1, 2])
  func sums(service: Int) throws {
    let requests =
      switch service {
      case 0: try requests(ServiceFaults.actor(held: 3000, every: 2900), end: 2_000_000)
      case 1: try requests(ServiceFaults.locked(held: 40_000), end: 1_500_000)
      default: try requests(ServiceFaults.actor(held: 50, every: 2900), end: 2_000_000)
      }
    #expect(!requests.blameTrees.isEmpty)
    for (kind, tree) in requests.blameTrees {
      var sums: [String: Double] = [:]
      var small = 0.0
      for share in tree.shares {
        let time = share.time / Double(tree.units.count)
        if case .ends(_, let culprit) = tree.nodes[Int(share.node)].step {
          sums[culprit.word, default: 0] += time
        } else {
          #expect(tree.nodes[Int(share.node)].step == .others)
          small += time
        }
      }
      let told = told(requests, Int(kind))
      let all = told.values.reduce(0, +)
      // Each culprit's time is rounded down to nanoseconds.
      #expect(abs(sums.values.reduce(small, +) - all) < 100)
      #expect(small < all / 100)
      for (word, time) in told { #expect(abs((sums[word] ?? 0) - time) < small + 100, "\(word)") }
    }
  }

  @Test("the time of a unit is all at its leaves")
  func units() throws {
    let requests = try requests(ServiceFaults.locked(held: 40_000), end: 1_500_000)
    for tree in requests.blameTrees.values {
      var sums = Array(repeating: 0.0, count: tree.units.count)
      for share in tree.shares { sums[Int(share.unit)] += share.time }
      for (place, unit) in tree.units.enumerated() {
        #expect(abs(sums[place] - Double(requests.units[unit].length)) < 1)
      }
    }
  }

  @Test("the steps read as a sentence: for what, by whom, in what")
  func steps() throws {
    let locked = try requests(ServiceFaults.locked(held: 40_000), end: 1_500_000)
    let lock = ways(locked, try #require(locked.blameTrees[0]))
    // Of the two threads of the pool one is in the call, and the other one waits for the lock.
    for way in [
      ["for a thread", "by flush()", "recv from 127.0.0.1:5432 in store()"],
      ["for a thread", "by next()", "for mutex 2", "by flush()", "recv from 127.0.0.1:5432 in store()"],
    ] { #expect(lock[way, default: 0] > 0.4, "\(lock)") }
    let hot = try requests(ServiceFaults.actor(held: 3000, every: 2900), end: 2_000_000)
    let actor = ways(hot, try #require(hot.blameTrees[0]))
    #expect(actor[["for actor Cache 1", "by price()", "touch()"], default: 0] > 0.4, "\(actor)")
  }

  @Test("there is no tree unless it is asked for")
  func none() throws {
    #expect(try requests(ServiceFaults.locked(held: 40_000), end: 1_500_000, hasTrees: false).blameTrees.isEmpty)
  }

  @Test("of many ways the small ones are together, no time is lost, and a parent comes before its children")
  func manyWays() {
    var builder = BlameTreeBuilder([7, 8])
    var all = 0.0
    for number in 0..<5000 {
      let time = Double(number % 97 + 1)
      builder.add(
        [
          .waits(BlameResource(.lock, "lock \(number % 300)")), .work("job \(number % 11)"), .work("part \(number)"),
          .ends(BlameEnd(.code, "", Int32(number)), .unknown),
        ], unit: number % 2, time: time)
      all += time
    }
    let tree = builder.finished()
    #expect(abs(tree.shares.reduce(0) { $0 + $1.time } - all) < 1e-6)
    #expect(tree.nodes.count <= 2 * BlameTreeBuilder.mostNodes + 1)
    #expect(tree.nodes.contains { $0.step == .others })
    for (index, node) in tree.nodes.enumerated() { #expect(node.parent < index) }
    let parents = Set(tree.nodes.map(\.parent))
    #expect(tree.shares.allSatisfy { !parents.contains($0.node) }, "only leaves have time")
    #expect(Set(tree.shares.map(\.unit)) == [0, 1])
  }
}
