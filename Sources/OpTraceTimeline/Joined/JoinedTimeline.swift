package import OpTraceModel
import OpTraceText

/// The timelines of several processes as one: on one clock, each process as a group of its own, with an arrow from each
/// span that made a call to the span of another process that served it.
package struct JoinedTimeline: Sendable {
  package let traces: [Trace]
  /// The calls between spans of two traces.
  package let calls: [SpanCall]
  package let clock: JoinedClock

  /// Joins the traces. O(n log n) for n spans.
  package init(_ traces: [Trace]) {
    self.traces = traces
    calls = SpanCall.all(in: traces)
    clock = JoinedClock(traces, calls)
  }

  /// Returns everything that the file shows, by trace.
  /// - Parameter options: the options, by trace.
  func contents(_ options: [TimelineOptions]) -> [TimelineContent] {
    var contents = zip(traces, options).map { TimelineContent($0, $1) }
    guard contents.count > 1 else { return contents }
    let zero = contents.indices.map { clock.starts[$0] + contents[$0].timeline.origin }.min() ?? 0
    let programs = programs
    var place = TimelinePlace()
    for index in contents.indices {
      place.isLast = index == contents.count - 1
      place.origin = zero - clock.starts[index]
      place.program = programs[index].name
      place.mark = programs[index].mark
      contents[index].place = place
      place = place.next(after: contents[index])
    }
    for (call, arrow) in arrows(contents, zero: zero, taken: place.arrows) {
      contents[call.from.trace].place.leaving[call.from.span, default: []].append(arrow)
      contents[call.to.trace].place.arriving[call.to.span, default: []].append(arrow)
      contents[contents.count - 1].place.calls.append(arrow)
    }
    return contents
  }

  /// Returns the arrows of calls whose ends are both drawn, unless the serving span began first: viewers let an arrow
  /// point to the slice that began later.
  private func arrows(
    _ contents: [TimelineContent], zero: Nanoseconds, taken: Int
  ) -> [(call: SpanCall, arrow: CallArrow)] {
    var ends: [SpanCall.End: (end: CallArrow.End, begin: Nanoseconds, over: Nanoseconds)] = [:]
    let wanted = Set(calls.flatMap { [$0.from, $0.to] })
    for (number, content) in contents.enumerated() {
      let shift = clock.starts[number] - zero
      for detail in content.timeline.details {
        guard case .span(let index) = detail.kind else { continue }
        let end = SpanCall.End(trace: number, span: index)
        guard wanted.contains(end) else { continue }
        let group = content.timeline.tracks[Int(detail.track)].group
        let place = CallArrow.End(
          group: content.place.groups + group, track: content.place.tracks + Int(detail.track))
        ends[end] = (place, detail.begin + shift, detail.end + shift)
      }
    }
    var arrows: [(call: SpanCall, arrow: CallArrow)] = []
    for call in calls {
      guard let from = ends[call.from], let to = ends[call.to], from.begin <= to.begin else { continue }
      // As with other arrows, the ends lie just inside the slices if these are longer than a nanosecond.
      let leaves = from.over - from.begin > 1 ? from.begin + 1 : from.begin
      let (first, last) = to.over - to.begin > 1 ? (to.begin + 1, to.over - 1) : (to.begin, to.begin)
      let isLate = to.begin == from.begin && call.to.trace < call.from.trace
      let arrives = isLate ? last : max(leaves, first)
      guard leaves <= arrives, arrives <= last else { continue }
      arrows.append(
        (
          call,
          CallArrow(
            number: taken + arrows.count + 1, from: from.end, to: to.end, leaves: leaves, arrives: arrives,
            isLate: isLate)
        ))
    }
    return arrows
  }

  /// The name of each process among the others, by trace.
  package var programNames: [String] { programs.map(\.name) }

  /// What distinguishes each process from the others: its name; if two have the same name, also its process id; if that
  /// is the same too, also a count.
  private var programs: [(name: String, mark: String)] {
    let names = traces.map { $0.header.processName.isEmpty ? "process" : $0.header.processName }
    let uses = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    var counts: [String: Int] = [:]
    return zip(traces, names).map { trace, name in
      guard uses[name] != 1 else { return (name, "") }
      let numbered = "\(name) \(trace.header.processID)"
      counts[numbered, default: 0] += 1
      guard let count = counts[numbered], count > 1 else { return (numbered, "") }
      return ("\(numbered) [\(count)]", " [\(count)]")
    }
  }
}

extension TimelineEvents {
  /// Writes several traces in this format, one after another. Time O(n log n). Throws what `sink` throws.
  static func write(
    _ joined: JoinedTimeline, _ options: [TimelineOptions], to sink: ByteSink
  ) throws -> TimelineCounts {
    let contents = joined.contents(options)
    return try ByteWriter.write(to: sink) { writer in
      var counts = TimelineCounts()
      for content in contents {
        var events = Self(content, writer)
        counts.add(try content.write(to: &events))
      }
      counts.calls = contents.last?.place.calls.count ?? 0
      return counts
    }
  }
}

extension TimelineCounts {
  fileprivate mutating func add(_ other: TimelineCounts) {
    executions += other.executions
    submissions += other.submissions
    waits += other.waits
    waitsWithoutLane += other.waitsWithoutLane
    tasksWithoutLane += other.tasksWithoutLane
    details += other.details
    arrows += other.arrows
    submissionArrows += other.submissionArrows
    resumptionArrows += other.resumptionArrows
    backwardDependencies += other.backwardDependencies
    instants += other.instants
    counterValues += other.counterValues
    thinnedCounterValues += other.thinnedCounterValues
    hidden += other.hidden
    waitLanes = max(waitLanes, other.waitLanes)
    shortestWait = max(shortestWait, other.shortestWait)
    leavesOutTimes = leavesOutTimes || other.leavesOutTimes
  }
}
