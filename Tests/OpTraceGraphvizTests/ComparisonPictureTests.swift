import OpTraceAnalysis
import OpTraceComparison
import OpTraceGraphviz
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceGraph

@Suite("The graph of added and removed work")
struct ComparisonPictureTests {
  /// The new version decodes more and slower, stores faster, checks instead of logging, and has a limit of one.
  private static func trace(_ isNew: Bool, noise: Double = 0) -> Trace {
    var make = HandmadeTrace()
    let net = make.queue("net", limit: isNew ? 1 : 4)
    let cpu = make.queue("cpu 1")
    let load = make.operation("load", on: net, began: 1.0, ended: 2.0)
    var decodes: [OperationID] = []
    for number in 0..<(isNew ? 4 : 3) {
      decodes.append(
        make.operation("decode \(number)", on: cpu, after: [load], began: 2.0, ended: 3.0 + noise))
    }
    let scale = make.operation(
      "scale", on: cpu, after: isNew ? decodes : [], began: 4.0, ended: (isNew ? 7 : 5) + noise)
    make.operation("store", on: net, after: [scale], began: 8.0, ended: (isNew ? 8.5 : 10) + noise)
    make.operation(
      isNew ? "check" : "log", on: isNew ? make.queue("disk") : net, after: [load], began: 10.0, ended: 11.0)
    return make.trace
  }

  static func comparison(runs: Int = 6) -> Comparison {
    var comparer = Comparer(by: .all)
    for isNew in [false, true] {
      for run in 0..<runs { comparer.add(trace(isNew, noise: Double(run) / 1000), as: isNew ? .new : .base) }
    }
    return comparer.comparison()
  }

  static func picture() -> GraphPicture { GraphPicture(of: comparison(), title: "old → new") }

  @Test("each pattern is a box that shows its change")
  func boxes() throws {
    let picture = Self.picture()
    let looks = picture.nodes.map { "\($0.name.prefix { $0 != " " }) \($0.look) \($0.caption)" }
    #expect(
      looks == [
        "check came 0 → 1 operations", "decode more 3 → 4 operations", "load same 1 operation",
        "log went 1 → 0 operations", "scale slower 1 operation", "store faster 1 operation",
      ])
    #expect(picture.lanes.map(\.title) == ["cpu #", "disk", "net"])
    #expect(picture.lanes.map(\.caption) == ["", "queues: 0 → 1", "max 4 → max 1"])
    let scale = try #require(picture.nodes.first { $0.name.hasPrefix("scale") })
    #expect(scale.tooltip.contains("times of operations: x3.00"))
    #expect(scale.tooltip.contains(": slower"))
  }

  @Test("each line shows the change of the dependencies between two patterns")
  func lines() {
    let picture = Self.picture()
    func name(_ index: Int) -> String { String(picture.nodes[index].name.prefix { $0 != " " }) }
    #expect(
      picture.edges.map { "\(name($0.to)) > \(name($0.from)) \($0.difference?.rawValue ?? "same") \($0.label ?? "")" }
        .sorted() == [
          "check > load came ", "decode > load more 3 → 4", "log > load went ", "scale > decode came ",
          "store > scale same ",
        ])
  }

  @Test("the legend has exactly what the picture shows")
  func legend() {
    let texts = Self.picture().legend.map { "\($0.text) \($0.count ?? 0)" }
    #expect(
      texts == [
        "came 1", "went 1", "more of them 1", "slower 1", "faster 1", "the same, or not clear 1",
        "dependencies: came 2", "dependencies: went 1", "dependencies: more of them 1",
      ])
  }

  @Test("the picture says if nothing differs")
  func same() {
    var comparer = Comparer(by: .all)
    comparer.add(Self.trace(false), as: .base)
    comparer.add(Self.trace(false), as: .new)
    let picture = GraphPicture(of: comparer.comparison(), title: "")
    #expect(picture.nodes.allSatisfy { $0.difference == .same })
    #expect(picture.edges.allSatisfy { $0.difference == nil })
    #expect(picture.verdicts.map { "\($0.lead) \($0.text)" } == ["Structure: the same"])
  }

  @Test("patterns that differ are drawn with their neighbours, and other patterns are counted")
  func many() {
    func trace(_ isNew: Bool) -> Trace {
      var make = HandmadeTrace()
      let queue = make.queue("work")
      var last: OperationID?
      for number in 0..<400 {
        let letters = String(number, radix: 2).map { $0 == "0" ? "a" : "b" }.joined()
        let name = isNew && number == 200 ? "came" : "work \(letters)"
        let begin = Double(number)
        last = make.operation(name, on: queue, after: last.map { [$0] } ?? [], began: begin, ended: begin + 1)
      }
      return make.trace
    }
    var comparer = Comparer(by: .all)
    comparer.add(trace(false), as: .base)
    comparer.add(trace(true), as: .new)
    let picture = GraphPicture(of: comparer.comparison(), title: "", mostBoxes: 10)
    #expect(picture.nodes.count == 10)
    #expect(Set(picture.nodes.filter { $0.difference != .same }.map(\.look)) == ["came", "went"])
    #expect(picture.edges.count { $0.difference == .came } == 2)
    #expect(picture.edges.count { $0.difference == .went } == 2)
    #expect(picture.verdicts.last?.text == "391 patterns of 401, the farthest from what differs")
  }

  @Test("each difference has its own sign and readable text, in light and in dark")
  func looks() {
    #expect(Set(BoxDifference.allCases.map(\.sign)).count == BoxDifference.allCases.count)
    #expect(Set(BoxDifference.allCases.map { $0.path }).count == BoxDifference.allCases.count)
    for difference in BoxDifference.allCases {
      let style = difference.style
      for (text, fill) in [
        (style.text.light, style.fill.light), (style.text.dark, style.fill.dark),
        (style.accent.light, style.fill.light),
        (style.accent.dark, style.fill.dark),
      ] {
        #expect(text.contrast(with: fill) >= 4.5, "\(difference) \(text.hex) on \(fill.hex)")
      }
    }
  }

  @Test("hostile names stay text")
  func hostile() throws {
    var comparer = Comparer(by: .all)
    comparer.add(HandmadeTrace("nothing").trace, as: .base)
    comparer.add(Zoo.hostile(), as: .new)
    let picture = GraphPicture(of: comparer.comparison(), title: "<&>\"]]>")
    let svg = SVGWriter.text(picture, try GraphvizRenderer.layout(picture))
    #expect(SVGReader(svg).error == nil)
    var empty = Comparer(by: .all)
    empty.add(HandmadeTrace("nothing").trace, as: .base)
    empty.add(HandmadeTrace("nothing").trace, as: .new)
    #expect(GraphPicture(of: empty.comparison(), title: "").nodes.isEmpty)
  }
}
