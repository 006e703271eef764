import OpTraceAnalysis
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

  /// `name`: of the trace, for errors.
  func selection(in trace: Trace, named name: String) throws -> TimelineSelection {
    var selection = TimelineSelection()
    selection.from = from?.nanoseconds
    selection.to = to?.nanoseconds
    selection.minimumDuration = minDuration?.nanoseconds ?? 0
    if !queue.isEmpty {
      let known =
        trace.queues.map {
          (SchedulerID.queue($0.id), $0.name.isEmpty ? $0.id.description : $0.name, $0.id.description)
        } + trace.dispatchQueues.map { (.dispatchQueue($0.id), $0.title, $0.id.description) }
        + (trace.tasks.isEmpty ? [] : [(.swift, TimelineSelection.tasks, TimelineSelection.tasks)])
      for wanted in queue {
        let found = known.filter { $0.1 == wanted || $0.2 == wanted }
        guard !found.isEmpty else { throw unknown("queue", wanted, Set(known.map(\.1)), name) }
        selection.queues = (selection.queues ?? []).union(found.map(\.0))
      }
    }
    if !classes.isEmpty {
      var known: Set<String> = []
      trace.operations.withUnsafeBufferPointer { operations in
        for index in operations.indices {
          known.insert(operations[index].className)
          known.insert(operations[index].kind)
        }
      }
      known.formUnion(trace.blocks.lazy.map(\.kind))
      known.formUnion(trace.tasks.lazy.map(\.kind))
      for wanted in classes where !known.contains(wanted) { throw unknown("class", wanted, known, name) }
      selection.classes = Set(classes)
    }
    if let around, around.contains(":"), let unit = Requests(of: trace).unit(around) {
      selection.look(around: unit)
    } else if let around {
      do {
        selection.look(around: try OperationLookup.findWork(around, in: trace), in: trace)
      } catch {
        throw Failure.usage(error.message(in: name))
      }
    }
    return selection
  }

  private func unknown(_ what: String, _ wanted: String, _ known: Set<String>, _ name: String) -> Failure {
    let offer = Suggestion.text(for: wanted, among: known).map { "; \($0)" } ?? ""
    return .usage("no \(what) is called '\(printable(wanted))' in \(name)\(offer)")
  }
}
