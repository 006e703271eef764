package import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
package import OpTraceModel
package import OpTracePageParts

extension PageLanes {
  /// The lanes of the timeline. Executions and waits themselves, which are its largest part, are left out: the page computes its own from the
  /// moments of work.
  package init(of trace: Trace, _ rules: RuleSet) {
    // More lanes would add nothing, and take room from other rows.
    var options = TimelineOptions(rules: rules)
    options.waitLanes = 12
    options.drawsArrows = false
    var timeline = Timeline(trace, options: options)
    self.init(of: trace)
    counterKinds = CounterValues.Kind.ofWork.map { "\($0)" }
    counters = CounterValues(timeline, trace).values.map {
      Count(group: $0.group, kind: $0.kind.rawValue, time: $0.time, value: $0.value)
    }
    workTracks = WorkTracks(trace, timeline)
    (timeline.executions, timeline.waits) = ([], [])
    origin = timeline.origin
    groups = timeline.groups.map { Group(name: $0.name, kind: $0.kind, scheduler: $0.scheduler) }
    tracks = timeline.tracks.map { Track(group: $0.group, name: $0.name) }
    threadTracks = timeline.threadTracks
    (waitsWithoutLane, tasksWithoutLane) = (timeline.counts.waitsWithoutLane, timeline.counts.tasksWithoutLane)
    instants = TraceInstant.all(of: trace).sorted { $0.time < $1.time }.map { one in
      let facts = one.instant.facts(in: trace)
      return Instant(time: one.time, name: facts.name, work: facts.operation, queue: facts.queue)
    }
    timeline.details.sort { ($0.track, $0.begin, $1.end) < ($1.track, $1.begin, $0.end) }
    detailKinds = DetailKind.allCases.map { "\($0)" }
    detailCount = timeline.details.count
    detail = { [timeline] index, trace in Detail(timeline.details[index], timeline, trace) }
  }
}

/// The kind of a detail.
private enum DetailKind: Int, CaseIterable {
  case block, span, wait, loss, start, run, completion
}

extension PageLanes.WorkTracks {
  /// The tracks of each work's execution and waits.
  fileprivate init(_ trace: Trace, _ timeline: Timeline) {
    self.init(count: trace.workCount)
    for one in timeline.executions where one.kind == .run { execution[Int(one.work)] = one.track }
    // A task has one row: the track of its runs and of everything between them.
    for wait in timeline.waits {
      if wait.group == timeline.tasksGroup {
        execution[Int(wait.work)] = max(execution[Int(wait.work)], wait.track)
        continue
      }
      switch wait.kind {
      case .dependencies: dependencies[Int(wait.work)] = wait.track
      case .slot: slot[Int(wait.work)] = wait.track
      case .suspended: break
      }
    }
  }
}

extension PageLanes.Detail {
  /// What the page shows of a detail of the timeline.
  fileprivate init(_ detail: Timeline.Detail, _ timeline: Timeline, _ trace: Trace) {
    let kind: DetailKind
    let name: String
    var operation: Int?
    let thread: ThreadID
    var (signal, stack): (Int?, FrameID?)
    switch detail.kind {
    case .block(let row, let block):
      kind = .block
      name = "block \(block.index + 1)"
      operation = Int(row)
      thread = block.thread
    case .span(let index):
      let span = trace.spans[index]
      kind = .span
      name = span.name
      operation = span.operation.flatMap { trace.workIndex(of: $0) }
      thread = span.began.thread
    case .wait(let index):
      let wait = trace.waits[index]
      kind = .wait
      name = "waits for " + timeline.name(of: wait.target, in: trace)
      operation = wait.inside.flatMap { trace.workIndex(of: $0) }
      thread = wait.thread
      signal = (wait.endSignal ?? wait.lastSignal)?.operation.flatMap { trace.workIndex(of: $0) }
      stack = wait.at
    case .gap(let index):
      let gap = trace.loss.gaps[index]
      kind = .loss
      name = "\(gap.count) records lost: \(gap.reason.explanation)"
      thread = gap.thread
    case .run(let row):
      let work = trace.work(at: Int(row))
      kind = .run
      name = work.title
      operation = Int(row)
      thread = work.run(at: detail.begin)?.thread ?? ThreadID(0)
    case .start(let row):
      kind = .start
      name = "start()"
      operation = Int(row)
      thread = trace.operations[Int(row)].executionBegan?.thread ?? ThreadID(0)
    case .completion(let row):
      kind = .completion
      name = "completion block"
      operation = Int(row)
      thread = trace.operations[Int(row)].completion?.began?.thread ?? ThreadID(0)
    }
    self.init(
      track: detail.track, begin: detail.begin, end: detail.end, isOpen: detail.isOpen, kind: kind.rawValue, name: name,
      work: operation, thread: thread, signal: signal, stack: stack)
  }
}
