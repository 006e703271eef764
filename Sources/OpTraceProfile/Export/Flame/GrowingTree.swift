import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// A ``FlameTree`` under construction: nodes in the order in which they were met.
struct GrowingTree {
  /// What a node stands for, as one number, so that children are found fast.
  private struct Code: Hashable {
    /// In the order in which siblings are sorted.
    enum Kind: UInt32 {
      case owner
      case callersUnknown
      case joined
      case function
      case unknown
      case kernel
    }

    static let most = 1 << 29
    static let unknown = Code(.unknown, 0)

    let bits: UInt32

    /// Indexes above `most` are not told apart.
    init(_ kind: Kind, _ index: Int) {
      let fits = (0..<Self.most).contains(index)
      bits = fits ? UInt32(index) << 3 | kind.rawValue : Kind.unknown.rawValue
    }

    var index: Int { Int(bits >> 3) }
    var kind: Kind { Kind(rawValue: bits & 7) ?? .unknown }
  }

  private struct Seed {
    var code: Code
    var parent: Int
    var isInlined: Bool
    var ownWeight: Nanoseconds = 0
    var ownSamples = 0
  }

  private struct Edge: Hashable {
    var parent: Int
    var code: Code
  }

  private let profile: Profile
  private let byOwner: Bool
  private var seeds = [Seed(code: .unknown, parent: 0, isInlined: false)]
  private var children: [Edge: Int] = [:]

  /// - Parameter byOwner: the first level is the owners, if there are any.
  init(_ profile: Profile, byOwner: Bool) {
    self.profile = profile
    self.byOwner = byOwner && !profile.owners.isEmpty
  }

  /// O(depth).
  mutating func add(_ group: SampleGroups.Group) {
    var node = 0
    if byOwner { node = child(of: node, group.owner.map { Code(.owner, $0) } ?? .unknown) }
    if profile.stacks.indices.contains(group.stack) {
      let stack = profile.stacks[group.stack]
      if stack.isCut { node = child(of: node, Code(.callersUnknown, 0)) }
      for (place, frame) in stack.frames.enumerated() {
        guard profile.frames.indices.contains(frame),
          profile.functions.indices.contains(profile.frames[frame].function)
        else {
          node = child(of: node, .unknown)
          continue
        }
        let kind: Code.Kind = place < stack.joined ? .joined : .function
        node = child(
          of: node, Code(kind, profile.frames[frame].function), isInlined: profile.frames[frame].isInlined)
      }
    } else {
      node = child(of: node, .unknown)
    }
    if group.isInKernel { node = child(of: node, Code(.kernel, 0)) }
    seeds[node].ownWeight = seeds[node].ownWeight.adding(group.weight)
    seeds[node].ownSamples += group.samples
  }

  private mutating func child(of parent: Int, _ code: Code, isInlined: Bool = false) -> Int {
    let number = children.entry(Edge(parent: parent, code: code)) + 1
    if number == seeds.count {
      seeds.append(Seed(code: code, parent: parent, isInlined: isInlined))
    } else if !isInlined {
      seeds[number].isInlined = false
    }
    return number
  }

  // MARK: The tree

  /// The nodes in the form of ``FlameTree/nodes``. O(n), plus sorting siblings.
  func finished(_ order: FlameTree.Order) -> [FlameTree.Node] {
    var weights = seeds.map(\.ownWeight)
    var samples = seeds.map(\.ownSamples)
    var sizes = [Int](repeating: 1, count: seeds.count)
    // Parents come before their children.
    for node in seeds.indices.dropFirst().reversed() {
      let parent = seeds[node].parent
      weights[parent] = weights[parent].adding(weights[node])
      samples[parent] += samples[node]
      sizes[parent] += sizes[node]
    }
    let families = Families(seeds.map(\.parent), keys: sortingKeys, weights: order == .weight ? weights : nil)

    var result: [FlameTree.Node] = []
    result.reserveCapacity(seeds.count)
    var open = [(seed: 0, parent: 0, depth: 0, start: Nanoseconds(0))]
    while let next = open.popLast() {
      let (seed, index) = (seeds[next.seed], result.count)
      result.append(
        FlameTree.Node(
          part: next.seed == 0 ? .all : part(of: seed.code), isJoined: seed.code.kind == .joined,
          isInlined: seed.isInlined, parent: next.parent, depth: next.depth, end: index + sizes[next.seed],
          start: next.start, weight: weights[next.seed], ownWeight: seed.ownWeight, samples: samples[next.seed],
          ownSamples: seed.ownSamples))
      var start = next.start
      let first = open.count
      for child in families[next.seed] {
        open.append((child, index, next.depth + 1, start))
        start = start.adding(weights[child])
      }
      open[first...].reverse()
    }
    return result
  }

  private func part(of code: Code) -> FlameTree.Part {
    switch code.kind {
    case .owner: .owner(code.index)
    case .callersUnknown: .callersUnknown
    case .joined, .function: .function(code.index)
    case .unknown: .unknown
    case .kernel: .kernel
    }
  }

  /// For each node a number by which siblings are sorted by name.
  private var sortingKeys: [UInt64] {
    let functions = Self.ranks(profile.functions) { one, other in
      let names = (one.name, one.module ?? "", one.file ?? "", one.line ?? 0)
      return names < (other.name, other.module ?? "", other.file ?? "", other.line ?? 0)
    }
    let owners = Self.ranks(profile.owners) { one, other in
      (one.name, one.kind, one.queue ?? "") < (other.name, other.kind, other.queue ?? "")
    }
    return seeds.map { seed in
      let (index, kind) = (seed.code.index, seed.code.kind)
      let rank: Int
      switch kind {
      case .owner: rank = index < owners.count ? owners[index] : 0
      case .joined, .function: rank = index < functions.count ? functions[index] : 0
      case .callersUnknown, .unknown, .kernel: rank = 0
      }
      return UInt64(kind.rawValue) << 40 | UInt64(rank)
    }
  }

  private static func ranks<Element>(_ elements: [Element], _ isBefore: (Element, Element) -> Bool) -> [Int] {
    let sorted = elements.indices.sorted {
      if isBefore(elements[$0], elements[$1]) { return true }
      return !isBefore(elements[$1], elements[$0]) && $0 < $1
    }
    var ranks = [Int](repeating: 0, count: elements.count)
    for (rank, index) in sorted.enumerated() { ranks[index] = rank }
    return ranks
  }
}

/// The children of each node, sorted.
private struct Families {
  private var members: [Int]
  private var starts: [Int]

  /// - Parameters:
  ///   - parents: the parent of each node; the first is the root's own.
  ///   - keys: sort siblings by these, …
  ///   - weights: … or by these, the largest first.
  init(_ parents: [Int], keys: [UInt64], weights: [Nanoseconds]?) {
    starts = [Int](repeating: 0, count: parents.count + 1)
    for parent in parents.dropFirst() { starts[parent + 1] += 1 }
    for index in parents.indices { starts[index + 1] += starts[index] }
    members = [Int](repeating: 0, count: max(0, parents.count - 1))
    var ends = starts
    for (node, parent) in parents.enumerated().dropFirst() {
      members[ends[parent]] = node
      ends[parent] += 1
    }
    for parent in parents.indices where starts[parent + 1] - starts[parent] > 1 {
      members[starts[parent]..<starts[parent + 1]].sort { one, other in
        if let weights, weights[one] != weights[other] { return weights[one] > weights[other] }
        return keys[one] < keys[other]
      }
    }
  }

  subscript(node: Int) -> ArraySlice<Int> { members[starts[node]..<starts[node + 1]] }
}
