import OpTraceDoctor
import OpTraceHangs

#if os(Linux)
  import Foundation
  import OpTraceKernel
  import OpTraceRunning
  import OpTraceModel
  import OpTraceText

  /// A process in which nothing has moved for as long as `--stall-timeout` allows, and the reason.
  struct StalledProcess {
    /// The path of its trace.
    let path: String
    let report: DoctorReport
    private let timeout: StallTimeout
    private let statuses: ThreadStatuses

    /// The most tests or threads that are named; the others are counted.
    private static let most = 3

    /// - Parameters:
    ///   - first: an earlier reading, since which nothing has moved.
    ///   - last: a reading at the end of that time.
    init(_ path: String, timeout: StallTimeout, first: StallReading, last: StallReading) {
      self.path = path
      self.timeout = timeout
      report = DoctorReport(of: first.reading, then: last.reading, stallAfter: Self.stallAfter(timeout), by: .command)
      statuses = ThreadStatuses(of: report.trace)
    }

    /// - Parameter snapshot: of a process that nobody records.
    init(_ path: String, timeout: StallTimeout, snapshot: Trace) {
      self.path = path
      self.timeout = timeout
      report = DoctorReport(of: .init(snapshot), stallAfter: Self.stallAfter(timeout), by: .command)
      statuses = ThreadStatuses(of: report.trace)
    }

    /// The first reading is before the timeout, and the silence must already count then.
    private static func stallAfter(_ timeout: StallTimeout) -> Nanoseconds {
      min(DoctorReport.defaultStallAfter, timeout.nanoseconds / 5 * 2)
    }

    /// The note of a trace that was made from outside; nil: its process writes it.
    var note: RecordNotes.Note? {
      report.trace.origin.map { _ in .trace(processID: pid_t(report.trace.header.processID), path: path) }
    }

    /// The system's ids of threads that were seen using the processor, or waiting for one, and how much each had used by
    /// then, in nanoseconds.
    var computing: [UInt32: Nanoseconds] {
      let threads = (report.trace.snapshot?.threads ?? []).filter(\.isComputing)
      let found = threads.compactMap { seen in report.trace.thread(seen.thread).map { ($0.systemID, seen.cpu) } }
      return Dictionary(found, uniquingKeysWith: max)
    }

    /// Notes in its trace that it is ended, so that later readers of the trace get the same answer.
    func mark() {
      if note == nil { StallMark.write(path: path) }
    }

    /// Whether its process still exists.
    var isThere: Bool { LiveProcess.writes(report.trace) }

    /// The text for standard error: what stalled and why in one line, the doctor's report, and what each thread does.
    var text: String {
      // "Found nothing" would be no answer here.
      let doctor = report.findings.isEmpty ? "" : "\n" + DoctorText(report).text(answers: false)
      return "optrace: \(line)\n" + doctor + "\n" + stacks.text + "\n"
    }

    private var stacks: StacksText { StacksText(statuses, of: report.trace) }

    /// `test 'OrderTests/testRefund' stalled for 30 s`.
    var sentence: String { "\(subject) stalled for \(timeout.text)" }

    /// `test 'OrderTests/testRefund' stalled: Stuck for 31 s: …`. The answer has a time of its own, if it has a reason.
    private var line: String { hasReason ? "\(subject) stalled: \(answer)" : "\(sentence): \(answer)" }

    /// Annotates the findings, each with what stalled; if there is no finding that gives a reason, only what stalled.
    func annotate(_ annotations: Annotations) throws {
      try annotations.write(report, addition: "\(sentence.prefix(1).uppercased() + sentence.dropFirst()).")
      guard !hasReason else { return }
      let location = places.first?.location
      let command = WorkflowCommand(
        .error, file: location?.file.map(Annotations.roots.path(of:)), line: location?.line, title: "stalled",
        message: "\(sentence): \(answer)")
      // As bytes: this is a command that the service is to obey.
      try Output.standard.write(Array(command.text.utf8))
    }

    private var subject: String {
      let program = "'\(printable(report.trace.header.processName))'"
      let names = openSpans
      guard !names.isEmpty else { return program }
      var shown = names.prefix(Self.most).map { "'\(printable($0))'" }
      if names.count > shown.count { shown.append("\(grouped(names.count - shown.count)) more") }
      guard isOfTests else { return "\(program) in \(listed(shown))" }
      return (names.count == 1 ? "test " : "tests ") + listed(shown)
    }

    private var isOfTests: Bool { report.trace.header.processName.hasSuffix(".xctest") }

    /// The tests that run: those whose work the doctor names, else all. For other programs, the spans that they
    /// measure.
    private var openSpans: [String] {
      let trace = report.trace
      let open = trace.spans.filter { $0.ended == nil }
      let first = report.findings.first { $0.severity != .note }
      let involved = Set((first?.operations ?? []).compactMap { trace.span(around: $0)?.id })
      let named = open.filter { involved.contains($0.id) }
      return (named.isEmpty ? open : named).map(\.name)
    }

    /// Whether the doctor has found what is wrong.
    private var hasReason: Bool { report.findings.contains { $0.severity != .note } }

    /// The doctor's answer; if it has found nothing, where the program's own code waits.
    private var answer: String {
      guard !hasReason else { return report.answer }
      // A possible reason comes before the locations where threads wait.
      let waiting =
        report.findings.filter { $0.certainty == .possible }.map(\.title).prefix(1)
        + places.map { $0.text + Self.phrase($0.location) }
      var text = "No reason is proven"
      if waiting.isEmpty { text += ", and no thread waits in the program's own code" }
      var shown = Array(waiting.prefix(Self.most))
      if waiting.count > shown.count { shown.append("\(grouped(waiting.count - shown.count)) more do") }
      if !shown.isEmpty { text += ": \(listed(shown))" }
      let trace = report.trace
      guard trace.blocks.isEmpty, trace.tasks.isEmpty, trace.loops.isEmpty, trace.dispatchQueues.isEmpty else {
        return text + "."
      }
      return text + ". With --tasks and --dispatch Swift's tasks and blocks of dispatch queues are recorded, too."
    }

    /// Locations where threads wait in the program's own code, the main thread first.
    private var places: [(text: String, location: CodeLocation)] {
      let ordered = statuses.threads.filter(\.isMain) + statuses.threads.filter { !$0.isMain }
      return ordered.compactMap { thread in
        guard report.trace.stacks.frames(thread.stack).contains(where: \.isOwn),
          let text = stacks.sentence(of: thread), let location = report.trace.stacks.codeLocation(thread.stack)
        else { return nil }
        return (text, location)
      }
    }

    private static func phrase(_ location: CodeLocation) -> String {
      let file = location.file.map { ($0.split(separator: "/").last ?? "") + (location.line.map { ":\($0)" } ?? "") }
      return (location.function.map { ", in \($0)" } ?? "") + (file.map { " at \($0)" } ?? "")
    }
  }
#endif
