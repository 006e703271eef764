import OpTraceKernel
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// The names of arguments. Times are in microseconds.
enum ArgumentName: Int, CaseIterable {
  case operation, className, queue, state, dependencyWait, slotWait, startedOn, cancelRequested, error, barrier,
    priority, within, parent, traceID, attributes
  case block, submittedBy, submittedIn, way, item, ranOn, groupWait
  case task, resumedBy, suspended, running
  case source, function, waitsFor, unfinished
  case file, line, stack, addedBy, madeBy
  case object, endedBy, endedAt, lastSignalledBy, lastSignalledAt, reason
  case code, severity, isProven, operations, explanation, fix
  case wallClock, start, process, writtenBy, closed, lost, damaged, overwritten, withoutLane, waitingTimes, hidden,
    thinned, tasksWithoutLane
  case threadWait

  var text: StaticString {
    switch self {
    case .operation: "operation"
    case .className: "class"
    case .queue: "queue"
    case .state: "state"
    case .dependencyWait: "dependency wait (us)"
    case .slotWait: "slot wait (us)"
    case .threadWait: "thread wait (us)"
    case .startedOn: "started on"
    case .cancelRequested: "cancel requested at (us)"
    case .error: "error"
    case .barrier: "barrier"
    case .priority: "priority"
    case .within: "within"
    case .parent: "parent"
    case .traceID: "trace id"
    case .attributes: "attributes"
    case .block: "block"
    case .submittedBy: "submitted by"
    case .submittedIn: "submitted in"
    case .way: "way"
    case .item: "work item"
    case .ranOn: "ran on"
    case .groupWait: "wait for a time or a group (us)"
    case .task: "task"
    case .resumedBy: "resumed by"
    case .suspended: "suspended (us)"
    case .running: "running (us)"
    case .source: "source"
    case .function: "function"
    case .waitsFor: "waits for"
    case .unfinished: "unfinished"
    case .file: "file"
    case .line: "line"
    case .stack: "stack"
    case .addedBy: "added by"
    case .madeBy: "made by"
    case .object: "object"
    case .endedBy: "ended by"
    case .endedAt: "ended by a signal at (us)"
    case .lastSignalledBy: "last signalled by"
    case .lastSignalledAt: "last signalled at (us)"
    case .reason: "reason"
    case .code: "code"
    case .severity: "severity"
    case .isProven: "proven"
    case .operations: "operations"
    case .explanation: "explanation"
    case .fix: "fix"
    case .wallClock: "wall clock (ns since 1970)"
    case .start: "start (UTC)"
    case .process: "process"
    case .writtenBy: "written by"
    case .closed: "closed"
    case .lost: "records lost"
    case .damaged: "damaged parts"
    case .overwritten: "bytes overwritten by newer records"
    case .withoutLane: "waits without a lane"
    case .waitingTimes: "waiting times"
    case .hidden: "slices left out, as asked for"
    case .tasksWithoutLane: "tasks on their threads alone"
    case .thinned: "counter changes left out between the highest and the last of each moment"
    }
  }
}

/// Takes the arguments of one event, and writes them in one format.
protocol ArgumentSink {
  mutating func number(_ name: ArgumentName, _ value: Int)
  mutating func text(_ name: ArgumentName, _ value: String)
  mutating func flag(_ name: ArgumentName, _ value: Bool)
  mutating func microseconds(_ name: ArgumentName, _ value: Nanoseconds)
  /// Writes what the program itself named, as an argument that contains arguments.
  mutating func texts(_ name: ArgumentName, _ values: [(key: String, value: String)])
}

/// The arguments of events: what a viewer shows about the slice that is clicked. They leave out what the slice's name
/// or its track says already, and what the absence of an argument implies: it would be in the file a million times.
extension TimelineContent {
  func arguments(of execution: Timeline.Execution, _ sink: inout some ArgumentSink) {
    guard options.includesArguments else { return }
    guard case .operation(let index) = trace.row(ofWorkAt: Int(execution.work)) else {
      return workArguments(of: execution, &sink)
    }
    trace.operations.withUnsafeBufferPointer { operations in
      sink.number(.operation, Int(operations[index].id.rawValue))
      if operations[index].title != operations[index].className { sink.text(.className, operations[index].className) }
      if let function = operations[index].function {
        if operations[index].name != nil { sink.text(.function, function.shortName) }
        if operations[index].source == nil, let location = function.lineText { sink.text(.source, location) }
        if let file = function.file { sink.text(.file, file) }
        if let line = function.line { sink.number(.line, line) }
      }
      if let added = stackWords.of(operations[index].addedAt, in: trace.stacks)?.text { sink.text(.addedBy, added) }
      if let made = trace.stacks.creationSite(of: operations[index])?.text { sink.text(.madeBy, made) }
      if let queue = operations[index].scheduler, let group = timeline.groupOfScheduler[queue] {
        sink.text(.queue, timeline.groups[group].name)
      }
      if operations[index].state != .finished { sink.text(.state, operations[index].state.rawValue) }
      let times =
        timeline.counts.leavesOutTimes
        ? OperationTimes() : threadWaits.times(ofOperationAt: index, in: trace)
      if times.waitingForDependencies > 0 { sink.microseconds(.dependencyWait, times.waitingForDependencies) }
      if times.waitingForSlot > 0 { sink.microseconds(.slotWait, times.waitingForSlot) }
      if times.waitingForThread > 0 { sink.microseconds(.threadWait, times.waitingForThread) }
      if operations[index].leavesThread, let began = operations[index].executionBegan ?? operations[index].started {
        sink.text(.startedOn, name(of: began.thread))
      }
      if let cancel = operations[index].cancelRequested {
        sink.microseconds(.cancelRequested, cancel.time - place.origin)
      }
      if let error = operations[index].error { sink.text(.error, error) }
      if operations[index].isBarrier { sink.flag(.barrier, true) }
      if operations[index].priority != 0 { sink.number(.priority, Int(operations[index].priority)) }
      if let source = operations[index].source { sink.text(.source, source) }
      if let span = trace.span(around: operations[index].id) { sink.text(.within, span.name) }
    }
    if execution.isOpen { sink.flag(.unfinished, true) }
  }

  func arguments(of wait: Timeline.Wait, _ sink: inout some ArgumentSink) {
    guard options.includesArguments else { return }
    guard case .operation(let index) = trace.row(ofWorkAt: Int(wait.work)) else {
      return workArguments(of: wait, &sink)
    }
    trace.operations.withUnsafeBufferPointer { operations in
      sink.number(.operation, Int(operations[index].id.rawValue))
      // For a slot, the track says so already.
      if wait.kind == .dependencies {
        sink.text(.waitsFor, awaited(operations, index, since: wait.begin))
      } else if isForThread(wait) {
        sink.text(.waitsFor, "a thread")
      }
    }
    if wait.isOpen { sink.flag(.unfinished, true) }
  }

  /// Whether nearly all of the wait was for a thread. It need not be all of it: whatever had the slot before was busy a
  /// little longer.
  private func isForThread(_ wait: Timeline.Wait) -> Bool {
    let forThread = threadWaits[Int(wait.work)]
    return forThread > 0 && wait.end - wait.begin - forThread <= (wait.end - wait.begin) / 10
  }

  private func awaited(
    _ operations: UnsafeBufferPointer<OperationRecord>, _ index: Int, since begin: Nanoseconds
  ) -> String {
    var names: [String] = []
    var others = 0
    for dependency in operations[index].dependencies {
      if let removed = dependency.removed, removed <= begin { continue }
      guard let other = trace.index(of: dependency.on) else { continue }
      if let finished = operations[other].finished, finished.time <= begin { continue }
      guard names.count < 8 else {
        others += 1
        continue
      }
      names.append(name(ofWork: Timeline.WorkIndex(other)))
    }
    if names.isEmpty { return "dependencies" }
    return names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
  }

  func arguments(of detail: Timeline.Detail, _ sink: inout some ArgumentSink) {
    guard options.includesArguments else { return }
    switch detail.kind {
    case .start(let operation), .block(let operation, _), .completion(let operation):
      work(trace.workID(at: Int(operation)), &sink)
    case .run(let index): work(trace.workID(at: Int(index)), &sink)
    case .span(let index):
      work(trace.spans[index].work, &sink)
      spanArguments(trace.spans[index], &sink)
    case .wait(let index):
      work(trace.waits[index].inside, &sink)
      objectArguments(trace.waits[index], &sink)
      stackArguments(trace.waits[index].at, &sink)
    case .gap(let index): sink.text(.reason, trace.loss.gaps[index].reason.explanation)
    }
    if detail.isOpen { sink.flag(.unfinished, true) }
  }

  /// Replaces dots and brackets in a key, as Perfetto does, in both formats: there they lead to other arguments.
  private static func key(_ key: String) -> String {
    key.isEmpty ? "_" : String(key.map { ".[]".contains($0) ? "_" : $0 })
  }

  private func spanArguments(_ span: SpanRecord, _ sink: inout some ArgumentSink) {
    if let parent = span.parent.flatMap({ trace.span($0) }) { sink.text(.parent, parent.name) }
    if let status = span.status {
      if status.code == .error {
        sink.text(.error, status.message ?? "")
      } else {
        sink.text(.state, status.code.rawValue)
      }
    }
    if let context = span.context { sink.text(.traceID, context.traceID) }
    guard !span.attributes.isEmpty else { return }
    sink.texts(.attributes, span.attributes.map { (key: Self.key($0.key), value: $0.value) })
  }

  /// Writes, for a wait on a semaphore or the like, which object it is, and who ended the wait.
  private func objectArguments(_ wait: WaitRecord, _ sink: inout some ArgumentSink) {
    guard case .object(let id) = wait.target, let object = trace.object(id) else { return }
    if object.kind?.endsByItself != true { sink.text(.object, "0x" + String(object.address, radix: 16)) }
    if let signal = wait.endSignal {
      if let name = signaller(signal) { sink.text(.endedBy, name) }
      sink.microseconds(.endedAt, signal.time - place.origin)
    }
    if let signal = wait.lastSignal {
      if let name = signaller(signal) { sink.text(.lastSignalledBy, name) }
      sink.microseconds(.lastSignalledAt, signal.time - place.origin)
    }
  }

  /// Writes where a thread was. Of its stack, only the program's own code is written; the rest is the same for all.
  func stackArguments(_ innermost: FrameID?, _ sink: inout some ArgumentSink) {
    guard let words = stackWords.of(innermost, in: trace.stacks) else { return }
    if let function = words.location.function { sink.text(.function, function) }
    if let file = words.location.file { sink.text(.file, file) }
    if let line = words.location.line { sink.number(.line, line) }
    if let stack = words.stack { sink.text(.stack, stack) }
  }

  /// Returns the name of the operation, or else of the thread, if either is known.
  private func signaller(_ signal: WaitRecord.Signal) -> String? {
    guard let id = signal.operation else { return signal.thread.map { name(of: $0) } }
    return trace.workIndex(of: id).map { "\(name(ofWork: Timeline.WorkIndex($0))) \(id)" } ?? id.description
  }

  func name(of thread: ThreadID) -> String { trace.thread(thread)?.timelineName ?? thread.description }

  /// Writes the facts about the whole trace.
  func startArguments(_ sink: inout some ArgumentSink) {
    // This is a string, because a viewer's double would round it.
    sink.text(.wallClock, String(trace.header.startWall))
    sink.text(.start, utcText(trace.header.startWall))
    sink.text(.process, trace.header.processName)
    sink.text(.writtenBy, "OpTrace " + trace.header.writerVersion)
    sink.flag(.closed, trace.header.isClosed)
    sink.number(.lost, Int(clamping: trace.loss.lostCount))
    sink.number(.damaged, trace.loss.damage.count)
    sink.number(.overwritten, Int(clamping: trace.loss.overwrittenBytes))
    if timeline.counts.waitsWithoutLane > 0 { sink.number(.withoutLane, timeline.counts.waitsWithoutLane) }
    if timeline.counts.tasksWithoutLane > 0 { sink.number(.tasksWithoutLane, timeline.counts.tasksWithoutLane) }
    if timeline.counts.leavesOutTimes { sink.text(.waitingTimes, "left out, as there are so many") }
    if timeline.counts.hidden > 0 { sink.number(.hidden, timeline.counts.hidden) }
    if counters.thinnedOut > 0 { sink.number(.thinned, counters.thinnedOut) }
  }
}
