import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

/// How the shares of a profile's stacks differ from those of the same stacks of another profile.
///
/// Nodes are the same where their callers are, and they themselves by name and module: files and lines change between versions.
/// Several alike below one caller are compared in their order.
struct FlameDifference {
  let base: Profile
  /// Nanoseconds of the other profile.
  let baseTotal: Nanoseconds
  /// The share of the other profile's time that is in stacks which this one does not have, 0 to 1.
  private(set) var gone = 0.0
  /// Of each node, 0 to 1.
  private var shares: [Double]
  private var baseShares: [Double]

  /// O(n) for both trees, whose children are sorted by name.
  init(_ profile: Profile, _ tree: FlameTree, _ base: Profile, _ baseTree: FlameTree) {
    self.base = base
    baseTotal = baseTree.root.weight
    let (whole, baseWhole) = (Double(max(1, tree.root.weight)), Double(max(1, baseTree.root.weight)))
    shares = tree.nodes.map { Double($0.weight) / whole }
    baseShares = [Double](repeating: 0, count: tree.nodes.count)
    baseShares[0] = Double(baseTree.root.weight) / baseWhole

    let (names, baseNames) = (NodeNames(profile), NodeNames(base))
    var open = [(node: 0, base: 0)]
    var goneWeight: Nanoseconds = 0
    while let pair = open.popLast() {
      let (end, baseEnd) = (tree.nodes[pair.node].end, baseTree.nodes[pair.base].end)
      var (child, other) = (pair.node + 1, pair.base + 1)
      while child < end || other < baseEnd {
        let name = child < end ? names[tree.nodes[child]] : nil
        let baseName = other < baseEnd ? baseNames[baseTree.nodes[other]] : nil
        if let name, let baseName, name == baseName {
          baseShares[child] = Double(baseTree.nodes[other].weight) / baseWhole
          open.append((child, other))
          (child, other) = (tree.nodes[child].end, baseTree.nodes[other].end)
        } else if let name, baseName.map({ name < $0 }) ?? true {
          child = tree.nodes[child].end
        } else {
          goneWeight = goneWeight.adding(baseTree.nodes[other].weight)
          other = baseTree.nodes[other].end
        }
      }
    }
    gone = Double(goneWeight) / baseWhole
  }

  /// The share now without the share before, -1 to 1.
  func change(_ node: Int) -> Double { shares[node] - baseShares[node] }

  /// `before: 3.2 % (+1.9 points)`.
  func words(_ node: Int) -> String {
    let hundredths = Int((change(node) * 10_000).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let points = "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    let sign = hundredths < 0 ? "−" : "+"
    let before = baseShares[node] > 0 ? FlameScene.share(baseShares[node]) : "not there"
    return "before: \(before)" + (hundredths == 0 ? ", no change" : " (\(sign)\(points) points)")
  }
}

/// What makes nodes of two profiles the same, sorted as ``FlameTree`` sorts children by name.
private struct NodeNames {
  struct Name: Comparable {
    var kind: Int
    var name = ""
    var more = ""
    var last = ""

    static func < (left: Self, right: Self) -> Bool {
      (left.kind, left.name, left.more, left.last) < (right.kind, right.name, right.more, right.last)
    }
  }

  private let profile: Profile

  init(_ profile: Profile) { self.profile = profile }

  subscript(node: FlameTree.Node) -> Name {
    switch node.part {
    case .all: return Name(kind: 0)
    case .owner(let index):
      guard profile.owners.indices.contains(index) else { return Name(kind: 1) }
      let owner = profile.owners[index]
      return Name(kind: 1, name: owner.name, more: owner.kind, last: owner.queue ?? "")
    case .callersUnknown: return Name(kind: 2)
    case .function(let index):
      guard profile.functions.indices.contains(index) else { return Name(kind: 5) }
      let function = profile.functions[index]
      return Name(kind: node.isJoined ? 3 : 4, name: function.name, more: function.module ?? "")
    case .unknown: return Name(kind: 5)
    case .kernel: return Name(kind: 6)
    }
  }
}
