package import OpTraceBlame
import OpTraceModel

extension Requests {
  /// How the time of a kind's slow units was passed on: a tree of steps, from what they waited for, over who had it, to where it ended.
  /// Its leaves have the time, all of it.
  package struct BlameTree: Sendable {
    package enum Step: Hashable, Sendable {
      /// Something that only some can have at a time was waited for.
      case waits(BlameResource)
      /// Other work was waited for, by its name: a child, a dependency, who submits.
      case awaits(BlameResource.Kind, String)
      /// It was had by work for units of this kind, an index in ``Requests/kinds``.
      case unit(Int32)
      /// It was had by work for no unit that is known, by its name.
      case work(String)
      /// It was had by a thread that ran no work, by its name.
      case thread(String)
      case ends(BlameEnd, Culprit)
      /// Steps with too little time to be told one by one.
      case others
    }

    package struct Node: Sendable, Equatable {
      /// An index of a node before this one; -1: it is the first step of a unit.
      package var parent: Int32
      package var step: Step
    }

    /// Time of one unit at a leaf.
    package struct Share: Sendable, Equatable {
      /// An index in ``units``.
      package var unit: Int32
      /// An index in ``nodes``.
      package var node: Int32
      /// In nanoseconds.
      package var time: Double
    }

    /// The slow units that were looked at, as indexes in ``Requests/units``.
    package internal(set) var units: [Int] = []
    package internal(set) var nodes: [Node] = []
    /// Unit after unit.
    package internal(set) var shares: [Share] = []
  }
}

/// Adds steps to a tree, and leaves out at the end what nobody would see.
struct BlameTreeBuilder {
  private struct Place: Hashable {
    var parent: Int32
    var step: Requests.BlameTree.Step
  }
  private struct Leaf: Hashable {
    var unit: Int32
    var node: Int32
  }

  private var tree = Requests.BlameTree()
  private var places: [Place: Int32] = [:]
  private var times: [Leaf: Double] = [:]

  /// What has a smaller share of all time is not shown by itself, and neither is what comes after so many larger ones.
  private static let leastShare = 0.001
  static let mostNodes = 240

  init(_ units: [Int]) { tree.units = units }

  /// Adds the time of one way to its end. O(steps).
  mutating func add(_ steps: [Requests.BlameTree.Step], unit: Int, time: Double) {
    var node: Int32 = -1
    for step in steps { node = child(step, of: node) }
    times[Leaf(unit: Int32(unit), node: node), default: 0] += time
  }

  private mutating func child(_ step: Requests.BlameTree.Step, of parent: Int32) -> Int32 {
    let place = Place(parent: parent, step: step)
    if let known = places[place] { return known }
    let node = Int32(tree.nodes.count)
    tree.nodes.append(.init(parent: parent, step: step))
    places[place] = node
    return node
  }

  /// The tree without small steps: their time is with ``Requests/BlameTree/Step/others`` below the last one that is shown. O(n log n).
  func finished() -> Requests.BlameTree {
    var weights = Array(repeating: 0.0, count: tree.nodes.count)
    for (leaf, time) in times { weights[Int(leaf.node)] += time }
    for index in tree.nodes.indices.reversed() where tree.nodes[index].parent >= 0 {
      weights[Int(tree.nodes[index].parent)] += weights[index]
    }
    let least = times.values.reduce(0, +) * Self.leastShare
    // None weighs more than the one above it, which has a lower number: so that one is kept, too.
    let kept = tree.nodes.indices.filter { weights[$0] >= least }
      .sorted { (weights[$1], $0) < (weights[$0], $1) }.prefix(Self.mostNodes).sorted()
    var result = BlameTreeBuilder(tree.units)
    var numbers: [Int32: Int32] = [-1: -1]
    for index in kept {
      let node = tree.nodes[index]
      numbers[Int32(index)] = result.child(node.step, of: numbers[node.parent] ?? -1)
    }
    for (leaf, time) in times.sorted(by: { ($0.key.unit, $0.key.node) < ($1.key.unit, $1.key.node) }) {
      var node = leaf.node
      while numbers[node] == nil { node = tree.nodes[Int(node)].parent }
      let number = numbers[node] ?? -1
      let shown = node == leaf.node ? number : result.child(.others, of: number)
      result.times[Leaf(unit: leaf.unit, node: shown), default: 0] += time
    }
    result.tree.shares = result.times.map { .init(unit: $0.key.unit, node: $0.key.node, time: $0.value) }
      .sorted { ($0.unit, $0.node) < ($1.unit, $1.node) }
    return result.tree
  }
}

extension TraceStrands {
  /// Who had something: the kind of unit for which it worked, else its own name.
  func step(
    of holder: BlameStrand, at time: Nanoseconds, _ moments: RequestMoments, _ requests: Requests
  ) -> Requests.BlameTree.Step {
    if let work = work(of: holder, at: time) {
      let unit = moments.unit(of: trace.workID(at: work), at: time)
      return unit.map { .unit(requests.units[$0].kind) } ?? .work(trace.work(at: work).kind)
    }
    guard case .thread(let thread) = holder else { return .thread("") }
    let name = trace.thread(thread)?.name ?? ""
    return .thread(name.allSatisfy(\.isWhitespace) ? thread.description : name)
  }
}
