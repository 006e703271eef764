package import OpTraceModel

/// Cycles of orders that may meet in another run: each holds what the one before it wants.
package struct OrderCycles: Sendable {
  /// One, with somebody for each edge.
  package struct Cycle: Sendable {
    package var edges: [OrderEdge]
    package var sightings: [OrderRecord.Sighting]
  }

  /// The shortest first; each combination of places once.
  package private(set) var all: [Cycle] = []
  /// Further cycles at the same places, by the index of the first.
  package private(set) var more: [Int] = []

  private static let longest = 5
  /// So many steps are looked at: a program with thousands of locks in both orders has enough with the first.
  private static let mostSteps = 200_000

  package init(of trace: Trace) {
    guard !trace.orders.isEmpty else { return }
    let edges = OrderEdges(of: trace).all
    let inCycles = Self.stronglyConnected(edges)
    guard !inCycles.isEmpty else { return }
    let strands = OrderStrands(trace)
    let byHeld = Dictionary(grouping: inCycles, by: { edges[$0].held.thing })
    var search = Search(edges: edges, byHeld: byHeld, strands: strands)
    for length in 2...Self.longest where search.steps < Self.mostSteps {
      for first in inCycles where search.steps < Self.mostSteps { search.extend([first], to: length) }
    }
    all = search.found
    more = search.more
  }

  private struct Search {
    let edges: [OrderEdge]
    let byHeld: [OrderSide.Thing: [Int]]
    let strands: OrderStrands
    var steps = 0
    var found: [Cycle] = []
    var more: [Int] = []
    private var known: [Set<Place>: Int] = [:]
    private var seen: Set<Set<OrderSide.Thing>> = []

    /// Where something was taken while something else was held.
    private struct Place: Hashable {
      var held: FrameID?
      var wanted: FrameID?
      var heldKind: HeldThing
      var wantedKind: HeldThing
    }

    private enum HeldThing: Hashable {
      case lock, queue(DispatchQueueID), slot(QueueID)

      init(_ thing: OrderSide.Thing) {
        switch thing {
        case .lock: self = .lock
        case .queue(let id): self = .queue(id)
        case .slot(let id): self = .slot(id)
        }
      }
    }

    init(edges: [OrderEdge], byHeld: [OrderSide.Thing: [Int]], strands: OrderStrands) {
      (self.edges, self.byHeld, self.strands) = (edges, byHeld, strands)
    }

    /// The first edge of a cycle is the one with the lowest index, so that each is found once.
    mutating func extend(_ path: [Int], to length: Int) {
      guard steps < OrderCycles.mostSteps, let first = path.first, let last = path.last else { return }
      for next in byHeld[edges[last].wanted.thing] ?? [] where next > first && !path.contains(next) {
        steps += 1
        guard edges[next].held.excludes(edges[last].wanted), path.allSatisfy({ edges[$0].canMeet(edges[next]) }) else {
          continue
        }
        let longer = path + [next]
        if longer.count < length { extend(longer, to: length) } else { close(longer) }
      }
    }

    private mutating func close(_ path: [Int]) {
      guard let first = path.first, let last = path.last, edges[first].held.excludes(edges[last].wanted) else { return }
      let cycle = path.map { edges[$0] }
      let things = Set(cycle.map(\.held.thing))
      guard things.count == cycle.count else { return }
      let places = Set(
        cycle.map { edge in
          Place(
            held: edge.from.sightings.first?.at, wanted: edge.to.sightings.first?.at,
            heldKind: HeldThing(edge.held.thing),
            wantedKind: HeldThing(edge.wanted.thing))
        })
      // Of the same things one cycle is enough.
      guard !seen.contains(things), let who = strands.unordered(cycle) else { return }
      seen.insert(things)
      if let index = known[places] {
        more[index] += 1
        return
      }
      known[places] = found.count
      found.append(Cycle(edges: cycle, sightings: who))
      more.append(0)
    }
  }

  /// The edges between things of which each can be reached from the other, in the order of their indexes. Without recursion: a chain of
  /// locks may be long. O(edges).
  private static func stronglyConnected(_ edges: [OrderEdge]) -> [Int] {
    var numbers: [OrderSide.Thing: Int] = [:]
    func number(_ thing: OrderSide.Thing) -> Int {
      if let known = numbers[thing] { return known }
      numbers[thing] = numbers.count
      return numbers.count - 1
    }
    let ends = edges.map { (number($0.held.thing), number($0.wanted.thing)) }
    var next = [[Int]](repeating: [], count: numbers.count)
    for (from, to) in ends { next[from].append(to) }
    var index = [Int](repeating: -1, count: numbers.count)
    var low = index
    var component = index
    var stack: [Int] = []
    var counter = 0
    var components = 0
    for root in 0..<numbers.count where index[root] < 0 {
      var calls = [(node: root, position: 0)]
      while let (node, position) = calls.last {
        if position == 0 {
          index[node] = counter
          low[node] = counter
          counter += 1
          stack.append(node)
        }
        if position < next[node].count {
          calls[calls.count - 1].position += 1
          let other = next[node][position]
          if index[other] < 0 {
            calls.append((other, 0))
          } else if component[other] < 0 {
            low[node] = min(low[node], index[other])
          }
          continue
        }
        calls.removeLast()
        if let above = calls.last?.node { low[above] = min(low[above], low[node]) }
        guard low[node] == index[node] else { continue }
        while let top = stack.popLast() {
          component[top] = components
          if top == node { break }
        }
        components += 1
      }
    }
    return edges.indices.filter { component[ends[$0].0] == component[ends[$0].1] }
  }
}
