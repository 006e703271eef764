import OpTraceProfile
import OpTraceModel
import Testing

import OpTraceAnalysis

@Suite struct FlameTreeTests {
  @Test func stacksAreMergedFromTheOutermostFrame() {
    var maker = ProfileMaker(period: 10)
    maker.add("main@App;b@App", times: 2)
    maker.add("main@App;a@App:1;c@App")
    maker.add("main@App;a@App:9")
    #expect(
      text(FlameTree(maker.profile), maker.profile) == """
        all 40 4
          main 40 4
            a 20 2 own 10
              c 10 1 own 10
            b 20 2 own 20
        """)
  }

  @Test func orderByWeightPutsTheHeaviestFirstThenByName() {
    var maker = ProfileMaker(period: 10)
    maker.add("a@App")
    maker.add("d@App", times: 2)
    maker.add("c@App", times: 2)
    let tree = FlameTree(maker.profile, order: .weight)
    #expect(names(tree, maker.profile) == ["all", "c", "d", "a"])
    #expect(tree.children(of: 0).map { tree.nodes[$0].start } == [0, 20, 40])
    #expect(names(FlameTree(maker.profile), maker.profile) == ["all", "a", "c", "d"])
  }

  @Test func ownersKernelAndUnknownCallersAreNodes() {
    #expect(
      text(FlameTree(.small, byOwner: true), .small) == """
        all 70000000 7
          operation Load 40000000 4
            start 40000000 4
              main 40000000 4
                load 30000000 3
                  parse inlined 30000000 3 own 30000000
                write 10000000 1
                  kernel 10000000 1 own 10000000
          thread main 10000000 1
            callers 10000000 1
              free 10000000 1 own 10000000
          task refresh 20000000 2
            refresh joined 20000000 2
              run 20000000 2
                fetch 20000000 2 own 20000000
        """)
  }

  @Test func anAsyncCallerHasItsOwnNode() {
    var maker = ProfileMaker(period: 10)
    maker.add("load@App;a@App")
    maker.add("~load@App;a@App")
    let tree = FlameTree(maker.profile)
    #expect(names(tree, maker.profile) == ["all", "load", "a", "load", "a"])
    #expect(tree.nodes.map(\.isJoined) == [false, true, false, false, false])
  }

  @Test func anEmptyProfileGivesOnlyTheRoot() {
    let tree = FlameTree(Profile(), byOwner: true)
    #expect(tree.nodes.count == 1)
    #expect(tree.root.part == .all)
    #expect(tree.root.weight == 0)
    #expect(tree.children(of: 0) == [])
    #expect(tree.children(of: 7) == [])
  }

  @Test func damagedStacksAreUnknownAndNothingOverflows() {
    let tree = FlameTree(.broken)
    #expect(tree.root.weight == .max)
    #expect(tree.root.samples == 7)
    #expect(tree.nodes.contains { $0.part == .unknown })
    #expect(tree.nodes.allSatisfy { $0.weight >= 0 && $0.start >= 0 })
  }

  /// The sums of each path are added up sample by sample.
  @Test(arguments: [1, 2, 3, 4, 5]) func sumsEqualThoseOfTheSamples(seed: UInt64) {
    var random = Numbers(state: seed &* 0x9E37_79B9_7F4A_7C15)
    var maker = ProfileMaker(period: 10)
    for _ in 0..<400 {
      let depth = random.below(7)
      let frames = (0..<depth).map { place in
        "\(place < 2 && random.below(4) == 0 && place == 0 ? "~" : "")f\(random.below(3))@App:\(random.below(2))"
      }
      maker.add(
        frames.joined(separator: ";"), owner: "task t\(random.below(3))", isInKernel: random.below(5) == 0,
        weight: Int64(random.below(50)))
    }
    let profile = maker.profile
    var expected: [[String]: Sums] = [:]
    for (index, sample) in profile.samples.enumerated() {
      let stack = profile.stacks[sample.stack]
      var path = ["all", "task " + profile.owners[profile.ownerOfSamples[index]].name]
      for (place, frame) in stack.frames.enumerated() {
        path.append(profile.functions[profile.frames[frame].function].name + (place < stack.joined ? " joined" : ""))
      }
      if sample.isInKernel { path.append("kernel") }
      for length in 1...path.count { expected[Array(path.prefix(length)), default: Sums()].weight += sample.weight }
      for length in 1...path.count { expected[Array(path.prefix(length)), default: Sums()].samples += 1 }
      expected[path, default: Sums()].own += sample.weight
    }
    for order in [FlameTree.Order.name, .weight] {
      let tree = FlameTree(profile, byOwner: true, order: order)
      var found: [[String]: Sums] = [:]
      var path: [String] = []
      for (index, node) in tree.nodes.enumerated() {
        path = path.prefix(node.depth) + [name(node, profile) + (node.isJoined ? " joined" : "")]
        #expect(found[path] == nil, "each path is one node")
        found[path] = Sums(weight: node.weight, own: node.ownWeight, samples: node.samples)
        let children = tree.children(of: index)
        #expect(children.allSatisfy { tree.nodes[$0].parent == index && tree.nodes[$0].depth == node.depth + 1 })
        #expect(children.reduce(node.ownWeight) { $0 + tree.nodes[$1].weight } == node.weight)
        #expect(children.last.map { tree.nodes[$0].end } ?? index + 1 == node.end)
        if let first = children.first { #expect(tree.nodes[first].start == node.start) }
      }
      #expect(found == expected)
    }
  }

  // MARK: Help

  private struct Sums: Equatable {
    var weight: Nanoseconds = 0
    var own: Nanoseconds = 0
    var samples = 0
  }

  private struct Numbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
  }

  private func name(_ node: FlameTree.Node, _ profile: Profile) -> String {
    switch node.part {
    case .all: "all"
    case .owner(let index): "\(profile.owners[index].kind) \(profile.owners[index].name)"
    case .callersUnknown: "callers"
    case .function(let index): profile.functions[index].name
    case .unknown: "unknown"
    case .kernel: "kernel"
    }
  }

  private func names(_ tree: FlameTree, _ profile: Profile) -> [String] { tree.nodes.map { name($0, profile) } }

  private func text(_ tree: FlameTree, _ profile: Profile) -> String {
    tree.nodes.map { node in
      let marks = (node.isJoined ? " joined" : "") + (node.isInlined ? " inlined" : "")
      let own = node.ownWeight > 0 ? " own \(node.ownWeight)" : ""
      return String(repeating: "  ", count: node.depth) + name(node, profile) + marks
        + " \(node.weight) \(node.samples)\(own)"
    }.joined(separator: "\n")
  }
}
