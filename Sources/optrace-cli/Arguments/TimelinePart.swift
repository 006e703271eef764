import OpTraceKernel
import OpTraceRequests
import OpTraceText
import ArgumentParser
import OpTraceTimeline
import OpTraceModel

/// The options that choose a part of a trace.
struct TimelinePart: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What happened from this time on, since the recording began: 1.5s, 250ms, 10us; without a unit, seconds.",
      valueName: "time"))
  var from: TimeArgument?

  @Option(help: ArgumentHelp("What happened up to this time.", valueName: "time"))
  var to: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "The time around this operation, block or task (a name, or a number as '#5'), with what it depends on, what depends on "
        + "it, and what it submitted; or around a unit of work as 'requests' names it ('#5:17').",
      valueName: "name"))
  var around: String?

  @Option(
    help: ArgumentHelp(
      "Only this queue (of operations, a dispatch queue, or '\(TimelineSelection.tasks)'); may be given several times.",
      valueName: "name"))
  var queue: [String] = []

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "Only this class of operations, or this function; may be given several times.", valueName: "name"))
  var classes: [String] = []

  @Option(help: ArgumentHelp("Nothing that took less than this.", valueName: "time"))
  var minDuration: TimeArgument?

  func validate() throws {
    if around != nil, from != nil || to != nil {
      throw ValidationError("--around sets the time: omit --from and --to.")
    }
    if let from, let to, from.nanoseconds > to.nanoseconds { throw ValidationError("--from is later than --to.") }
    if let minDuration, minDuration.nanoseconds < 0 { throw ValidationError("--min-duration must not be negative.") }
  }

  /// The chosen part of a trace. `name` is the name of the trace in errors.
  func selection(in trace: Trace, named name: String) throws -> TimelineSelection {
    try selections(in: [NamedTrace(trace: trace, name: name)])[0]
  }

  /// The parts of several traces on one clock, by trace. A name has to be known in only one of them.
  func selections(in traces: [NamedTrace]) throws -> [TimelineSelection] {
    var selections = traces.map { one in
      var selection = TimelineSelection()
      selection.from = from.map { $0.nanoseconds - one.start }
      selection.to = to.map { $0.nanoseconds - one.start }
      selection.minimumDuration = minDuration?.nanoseconds ?? 0
      return selection
    }
    try choose(queue, in: traces, &selections)
    if !classes.isEmpty {
      let known = traces.reduce(into: Set<String>()) { $0.formUnion(Self.kinds(of: $1.trace)) }
      for wanted in classes where !known.contains(wanted) { throw unknown("class", wanted, known, traces) }
      for index in selections.indices { selections[index].classes = Set(classes) }
    }
    if let around { try select(around: around, in: traces, &selections) }
    return selections
  }

  private func choose(_ queues: [String], in traces: [NamedTrace], _ selections: inout [TimelineSelection]) throws {
    guard !queues.isEmpty else { return }
    let known = traces.map { one in
      let trace = one.trace
      return trace.queues.map {
        (SchedulerID.queue($0.id), $0.name.isEmpty ? $0.id.description : $0.name, $0.id.description)
      } + trace.dispatchQueues.map { (.dispatchQueue($0.id), $0.title, $0.id.description) }
        + (trace.tasks.isEmpty ? [] : [(.swift, TimelineSelection.tasks, TimelineSelection.tasks)])
    }
    for wanted in queues {
      var isFound = false
      for index in traces.indices {
        let found = known[index].filter { $0.1 == wanted || $0.2 == wanted }
        selections[index].queues = (selections[index].queues ?? []).union(found.map(\.0))
        isFound = isFound || !found.isEmpty
      }
      guard isFound else { throw unknown("queue", wanted, Set(known.joined().map(\.1)), traces) }
    }
  }

  private static func kinds(of trace: Trace) -> Set<String> {
    var known: Set<String> = []
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices {
        known.insert(operations[index].className)
        known.insert(operations[index].kind)
      }
    }
    known.formUnion(trace.blocks.lazy.map(\.kind))
    known.formUnion(trace.tasks.lazy.map(\.kind))
    return known
  }

  /// Selects the time around a name in each trace that knows it. The others show the same time.
  private func select(around name: String, in traces: [NamedTrace], _ selections: inout [TimelineSelection]) throws {
    var isFound = [Bool](repeating: false, count: traces.count)
    var unknown: OperationLookup.Unknown?
    for (index, one) in traces.enumerated() {
      if name.contains(":"), let unit = Requests(of: one.trace).unit(name) {
        selections[index].select(around: unit.work, from: unit.began, to: unit.ended)
        isFound[index] = true
        continue
      }
      do {
        selections[index].select(around: try OperationLookup.findWork(name, in: one.trace), in: one.trace)
        isFound[index] = true
      } catch {
        let others = unknown?.suggestions ?? []
        unknown = error
        if index > 0 { unknown?.suggestions = OperationLookup.near(name, among: Set(others + error.suggestions)) }
      }
    }
    let found = traces.indices.filter { isFound[$0] }
    if let unknown, found.isEmpty { throw Failure.usage(unknown.message(in: traces.anyOfTheirNames)) }
    let from = found.compactMap { index in selections[index].from.map { $0 + traces[index].start } }.min()
    let to = found.compactMap { index in selections[index].to.map { $0 + traces[index].start } }.max()
    for index in traces.indices where !isFound[index] {
      selections[index].from = from.map { $0 - traces[index].start }
      selections[index].to = to.map { $0 - traces[index].start }
    }
  }

  private func unknown(_ what: String, _ wanted: String, _ known: Set<String>, _ traces: [NamedTrace]) -> Failure {
    let offer = Suggestion.text(for: wanted, among: known).map { "; \($0)" } ?? ""
    return .usage("no \(what) is called '\(printable(wanted))' in \(traces.anyOfTheirNames)\(offer)")
  }
}
