public import OpTraceKernel
public import OpTraceModel
import OpTraceText

extension GraphPicture {
  /// The operations that share a box, with counts and sums.
  public struct Fold: Sendable {
    /// The number of the box. Boxes are numbered from 1, in the order of their first operations.
    public var number: Int
    /// The ids of its operations, in ascending order.
    public var members: [OperationID]
    /// How many operations are in the box.
    public var count: Int { members.count }
    /// The number of operations in each state. Operations whose state is not known are counted in ``unknown``.
    public var states: [ShownState: Int] = [:]
    /// The number of operations that were seen only in part: it is not known whether they ran.
    public var unknown = 0
    /// The sum of each of the three times.
    public var times = OperationTimes()
    /// The number of operations on the critical path.
    public var critical = 0
    /// The number of edges between two operations of this box.
    public var inner = 0
    /// "blocked 10 s · queued 2.1 s · ran 34.5 s"
    public var timesText = ""
  }

  /// A sentence, without a full stop, that says what is folded. Nil: nothing.
  public var foldingNote: String? { verdicts.first { $0.lead == Self.foldingLead }.map { "folded \($0.text)" } }

  static let foldingLead = "Folded:"
}

extension GraphPictureBuilder {
  func node(of box: FoldedBox, number: Int, lane: Int) -> GraphPicture.Node {
    var fold = GraphPicture.Fold(number: number, members: box.members)
    for state in ShownState.allCases where box.states[state.ordinal] > 0 {
      fold.states[state] = box.states[state.ordinal]
    }
    fold.unknown = box.unknown
    fold.times = box.times
    fold.critical = box.critical
    fold.inner = box.inner
    // There is little room, so the time is only given if it matters.
    let thread = box.times.waitingForThread
    fold.timesText =
      "dependencies \(DurationText.text(box.times.waitingForDependencies))"
      + " · slot \(DurationText.text(box.times.waitingForSlot))"
      + (thread >= 1_000_000 ? " · thread \(DurationText.text(thread))" : "")
      + " · running \(DurationText.text(box.times.running))"
    let span = box.span(traceEnd: trace.end)
    return GraphPicture.Node(
      operation: trace.operations[box.first].id, lane: lane, state: box.state, name: name(of: box),
      caption: outcome(of: box), bar: span.map { bar($0.times, from: $0.from) } ?? [], isCritical: box.critical > 0,
      isBarrier: box.barriers == box.count, isExternal: box.externals == box.count, isUnknown: box.unknown == box.count,
      isCulprit: box.culprits > 0, tooltip: tooltip(of: box), fold: fold)
  }

  /// "1,200 × Download". The number comes first, because a long name is cut.
  private func name(of box: FoldedBox) -> String {
    let title = box.name.flatMap { $0.isEmpty ? nil : $0 } ?? (box.classes.count == 1 ? box.classes.first : nil)
    guard let title, !title.isEmpty else { return "\(grouped(box.count)) operations" }
    return "\(grouped(box.count)) × \(TextEscaping.oneLine(title, limit: 300))"
  }

  /// "1,150 finished · 50 cancelled". What needs attention comes first.
  private func outcome(of box: FoldedBox) -> String {
    let order: [ShownState] = [.deadlocked, .stalled, .failed, .executing, .ready, .pending, .cancelled, .finished]
    var parts = order.compactMap { state in
      let count = box.states[state.ordinal]
      return count > 0 ? "\(grouped(count)) \(state.rawValue)" : nil
    }
    if box.unknown > 0 { parts.append("\(grouped(box.unknown)) recorded in part") }
    return parts.count == 1 && box.unknown == 0 ? "all \(box.state.rawValue)" : parts.joined(separator: " · ")
  }

  private func tooltip(of box: FoldedBox) -> String {
    func line(_ text: String) -> String { TextEscaping.oneLine(text, limit: 400) }
    func id(_ index: Int) -> OperationID { trace.operations[index].id }
    var lines = ["\(name(of: box)) — \(outcome(of: box))", "folded, from \(id(box.first)) to \(id(box.last))"]
    lines.append(listed("class", "classes", box.classes.sorted().map(line)))
    let queues = box.queues.map { queue -> String in
      guard let queue else { return "none" }
      return line(trace.queue(queue)?.title ?? "\(queue)")
    }
    lines.append(listed("queue", "queues", queues.sorted()))
    lines.append(
      "in all waiting for dependencies \(DurationText.text(box.times.waitingForDependencies)), "
        + "for a slot \(DurationText.text(box.times.waitingForSlot)), " + Self.threadPart(box.times)
        + "running \(DurationText.text(box.times.running))")
    if box.longestRun > 0 {
      let title = TextEscaping.oneLine(trace.operations[box.longest].title, limit: 60)
      lines.append("the longest ran \(DurationText.text(box.longestRun)): \(id(box.longest)) \(title)")
    }
    let moments = [("first enqueued", box.arrived), ("first began", box.began), ("last ended", box.ended)]
      .compactMap { what, time in time.map { "\(what) at \(DurationText.text($0 - period.lowerBound))" } }
    if !moments.isEmpty { lines.append(moments.joined(separator: " · ")) }
    if box.inner > 0 { lines.append("\(counted(box.inner, "edge")) among them") }
    if box.critical > 0 {
      lines.append("part of the critical path: \(box.critical == box.count ? "all" : grouped(box.critical)) of them")
    }
    if box.culprits > 0 { lines.append("others cannot go on because of \(grouped(box.culprits)) of them") }
    lines.append("closer: optrace graph TRACE --focus '\(id(box.first))'")
    return lines.joined(separator: "\n")
  }

  private func listed(_ one: String, _ many: String, _ names: [String]) -> String {
    names.count == 1
      ? "\(one) \(names[0])" : "\(many) \(names.prefix(6).joined(separator: ", "))" + (names.count > 6 ? ", …" : "")
  }
}
