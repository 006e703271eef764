import OpTraceDoctor
import OpTraceKernel
public import OpTraceModel
public import OpTraceText

/// Writes a trace's graph in the DOT language, whatever its size. It is never folded, because programs read it.
///
/// Up to ``GraphPicture/mostDetailed`` operations, the output is the same as that of ``DOTWriter`` for their picture.
/// Above that, it is written while going through the trace, with no picture in memory, and without ids, tooltips and a
/// legend: a statement `node [class=…]` applies to the nodes that follow it, and each of those has only a label.
public struct DOTExporter {
  private let builder: GraphPictureBuilder

  /// Chooses what to draw. O(n + e), and O(n log n) if the critical path is asked for.
  public init(_ trace: Trace, options: GraphOptions) {
    var options = options
    options.mostBoxes = nil
    builder = GraphPictureBuilder(trace, options)
  }

  /// The number of operations that will be written.
  public var nodeCount: Int { builder.shown.count }

  /// Writes the graph. O(n + e), with a few words of memory for each operation. Throws what `sink` throws.
  public func write(to sink: ByteSink) throws {
    // Only a picture draws work other than operations.
    guard builder.shown.count > GraphPicture.mostDetailed, builder.options.layers == [.operations] else {
      return try DOTWriter(builder.picture()).write(to: sink)
    }
    let (lanes, laneOfNode) = builder.makeLanes()
    var picture = GraphPicture()
    picture.lanes = lanes
    picture.title = builder.title
    picture.subtitle = builder.subtitle(lanes)
    picture.verdicts = builder.verdicts()
    let form = DOTWriter(picture, for: .document, count: builder.shown.count)
    try ByteWriter.write(to: sink) { writer in
      writer.string(form.head())
      writer.text("  edge [class=\"dep\"];\n")
      var nodes = LeanDOTNodes(builder, form, writer)
      for lane in lanes.indices {
        form.beginLane(lane, writer)
        nodes.begin()
        for (number, index) in builder.shown.enumerated() where laneOfNode[number] == lane {
          nodes.write(index, lane: lane)
          if number & 0xFFF == 0 { try writer.check() }
        }
        form.endLane(lane, writer)
      }
      builder.eachEdge { edge in
        writer.text("op")
        writer.number(Int(builder.trace.operations[builder.shown[edge.from]].id.rawValue))
        writer.text(" -> op")
        writer.number(Int(builder.trace.operations[builder.shown[edge.to]].id.rawValue))
        if edge.isCritical || edge.isCycle || edge.isOpen || edge.kind != .dependency {
          let attributes = ["class=\"\(picture.cssClass(of: edge))\""] + form.look(of: edge)
          writer.string(" [\(attributes.joined(separator: ", "))]")
        }
        writer.text(";\n")
      }
      writer.string(form.foot)
    }
  }
}

/// Writes the nodes of a large file. Attributes that nodes share are written once, before them.
private struct LeanDOTNodes {
  private let builder: GraphPictureBuilder
  private let form: DOTWriter
  private let writer: ByteWriter
  private var shared = -1
  private var className = ""
  private var classLabel = ""

  init(_ builder: GraphPictureBuilder, _ form: DOTWriter, _ writer: ByteWriter) {
    self.builder = builder
    self.form = form
    self.writer = writer
  }

  /// Starts a new scope: no shared attributes apply yet.
  mutating func begin() { shared = -1 }

  mutating func write(_ index: Int, lane: Int) {
    let operations = builder.trace.operations
    let state = builder.state(of: index)
    let isUnknown = builder.isUnknown(index, state)
    let isCulprit = builder.stuck.culprits.contains(index)
    let isExternal = operations[index].coverage == .external
    let flags = [builder.isCritical[index], operations[index].isBarrier, isExternal, isUnknown, isCulprit]
    var key = lane * ShownState.allCases.count + state.ordinal
    for flag in flags { key = key * 2 + (flag ? 1 : 0) }
    if key != shared {
      shared = key
      let node = GraphPicture.Node(
        operation: operations[index].id, lane: lane, state: state, name: "", caption: "", bar: [],
        isCritical: flags[0], isBarrier: flags[1], isExternal: isExternal, isUnknown: isUnknown, isCulprit: isCulprit,
        tooltip: "")
      let barrier = node.isBarrier ? ", peripheries=2" : ", peripheries=1"
      writer.string("node [class=\"\(form.picture.cssClass(of: node))\", \(form.look(of: node))\(barrier)];\n")
    }
    let id = Int(operations[index].id.rawValue)
    writer.text("op")
    writer.number(id)
    writer.text(" [label=\"")
    writer.string(state.sign)
    writer.text(" ")
    if let name = operations[index].name { writer.string(label(name)) } else { writer.string(ofClass(index)) }
    writer.text("\\n")
    if state == .finished, !flags[1], operations[index].cancelRequested == nil,
      let began = operations[index].executionBegan?.time, let ended = operations[index].finished?.time
    {
      // True of nearly all operations. This writes what the caption would say, without a copy of the operation.
      writer.text("#")
      writer.number(id)
      writer.text(" · ")
      writer.string(DurationText.text(max(0, ended - began)))
    } else {
      writer.string(TextEscaping.dot(builder.caption(of: index, state)))
    }
    if form.metrics.namesLanes {
      writer.text("\\n")
      writer.string(label(form.picture.lanes[lane].title))
    }
    writer.text("\"];\n")
  }

  private mutating func ofClass(_ index: Int) -> String {
    let name = builder.trace.operations[index].title
    if name != className || classLabel.isEmpty {
      className = name
      classLabel = label(name)
    }
    return classLabel
  }

  /// Cuts a text to the length that the other formats show at most.
  private func label(_ text: String) -> String { TextEscaping.dot(TextEscaping.oneLine(text, limit: 40)) }
}
