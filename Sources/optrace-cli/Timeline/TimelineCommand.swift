import ArgumentParser
import Foundation
import OpTraceTimeline
import OpTraceModel
import OpTraceText

struct TimelineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Write the timeline for Perfetto or Chrome.",
    discussion: """
      The file is Chrome Trace Event JSON: open it at https://ui.perfetto.dev (nothing is sent anywhere), in \
      chrome://tracing, https://profiler.firefox.com, or https://www.speedscope.app (with --no-args). With a name that \
      ends in .pftrace it is Perfetto's own format, for Perfetto alone, in a fifth of the bytes. Documentation/pictures.md \
      says what is drawn and why.

      Several traces, of processes that served the same requests, are put on one clock, with arrows from each span of your \
      tracer to the span of another process that served it. --from and --to count from the first one's begin, and names \
      need be known in one of them.

      Example: optrace timeline run.optrace --from 1.5s --to 2s -o part.json
      """)

  @OptionGroup var traces: TraceArguments

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file(extensions: TimelineTarget.completedEndings))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "What to write; by default what the file's name ends with, \(TimelineTarget.usual.name) where it has no ending.",
      valueName: "format"))
  var format: TimelineTarget?

  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: ArgumentHelp(
      "Whether to write each slice's details (class, waits, error); speedscope takes them as part of the name. By "
        + "default all of them, but for the waiting times where there are more than 500,000 operations."))
  var args: Bool?

  @Option(
    help: ArgumentHelp(
      "The most lanes per queue for each sort of waiting (default: 50, fewer in a large file); 0 draws no waits.",
      valueName: "n"))
  var waitLanes: Int?

  @Option(
    help: ArgumentHelp(
      "The most rows for tasks, of one tree and of all (default: 200, fewer in a large file); 0 draws them on their "
        + "threads alone.",
      valueName: "n"))
  var taskLanes: Int?

  @OptionGroup(title: "Part of a trace") var part: TimelinePart

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInputs { traces.inputs(limit) }

  func validate() throws {
    if let waitLanes, waitLanes < 0 { throw ValidationError("--wait-lanes must not be negative.") }
    if let taskLanes, taskLanes < 0 { throw ValidationError("--task-lanes must not be negative.") }
  }

  func run() throws {
    let target = try format ?? TimelineTarget(writing: output)
    let output = try self.input.output(output)
    if output.isTerminal, !target.isText {
      throw Failure.usage("\(target.name) is not for a terminal: use -o FILE")
    }
    var options = TimelineOptions(rules: .command)
    options.includesArguments = args ?? true
    options.includesTimes = args
    options.waitLanes = waitLanes
    options.taskLanes = taskLanes

    var traces = try input.read()
    let joined = JoinedTimeline(traces.map(\.trace))
    for index in traces.indices { traces[index].start = joined.clock.starts[index] }
    let allOptions = try part.selections(in: traces).map { selection in
      var one = options
      one.selection = selection
      return one
    }
    if traces.count > 1 { JoinedNotes(joined, traces.map(\.name)).tell() }
    var counts = TimelineCounts()
    var bytes = 0
    try output.writeLong { file in
      func write(_ piece: UnsafeRawBufferPointer) throws {
        bytes += piece.count
        try file(piece)
      }
      guard target.isPacked else {
        counts = try target.format.write(joined, options: allOptions, to: write)
        return
      }
      let gzip = try GzipSink()
      counts = try target.format.write(joined, options: allOptions) { try gzip.write($0, to: write) }
      try gzip.finish(to: write)
    }
    tell(counts, bytes: bytes, target)
    let undrawn = joined.calls.count - counts.calls
    if undrawn > 0, allOptions.allSatisfy(\.selection.isAll) {
      Console.note("\(counted(undrawn, "call")) \(undrawn == 1 ? "has" : "have") no arrow: it would lead back in time")
    }
    try traces.end()
  }

  private func tell(_ counts: TimelineCounts, bytes: Int, _ target: TimelineTarget) {
    if counts.waitsWithoutLane > 0, counts.waitLanes > 0 {
      let tooShort = counts.shortestWait > 0 ? ", or shorter than \(duration(counts.shortestWait))" : ""
      Console.warning(
        "\(counted(counts.waitsWithoutLane, "wait")) of \(grouped(counts.waitsWithoutLane + counts.waits)) not drawn, "
          + "more than \(counts.waitLanes) at a time in one queue\(tooShort) (the counters have them all): "
          + "see --wait-lanes")
    }
    if counts.tasksWithoutLane > 0, taskLanes != 0 {
      Console.warning(
        "\(counted(counts.tasksWithoutLane, "task")) found no row and \(counts.tasksWithoutLane == 1 ? "is" : "are") drawn "
          + "on threads alone (the counters have them all): see --task-lanes")
    }
    if counts.leavesOutTimes {
      Console.note(
        "the waiting times of \(grouped(counts.executions)) operations are not among their details: see --args")
    }
    if counts.hidden > 0 {
      Console.note(
        "\(counted(counts.slices, "slice")) drawn, \(grouped(counts.hidden)) left out as asked for")
    }
    if let warning = ViewerLimits.warning(slices: counts.slices, bytes: bytes, target) {
      Console.warning(warning)
    }
  }
}
