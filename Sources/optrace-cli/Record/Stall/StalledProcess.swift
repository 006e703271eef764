#if os(Linux)
  import OpTraceAnalysis
  import OpTraceLive
  import OpTraceModel
  import OpTraceText

  /// A process in which nothing has moved for as long as `--stall-timeout` says, and why.
  struct StalledProcess {
    /// Its trace.
    let path: String
    let report: DoctorReport
    private let timeout: StallTimeout
    private let statuses: ThreadStatuses

    /// More tests or threads are counted.
    private static let most = 3

    /// - Parameters:
    ///   - first: a reading of it from before, since which nothing has moved.
    ///   - last: a reading of it at the end of that time.
    init(_ path: String, timeout: StallTimeout, first: StallReading, last: StallReading) {
      self.path = path
      self.timeout = timeout
      // The first reading comes earlier than the timeout, and the silence has to count by then.
      let stallAfter = min(DoctorReport.defaultStallAfter, timeout.nanoseconds / 5 * 2)
      report = DoctorReport(of: first.reading, then: last.reading, stallAfter: stallAfter)
      statuses = ThreadStatuses(of: report.trace)
    }

    /// A thread was seen to use the processor, or to wait for one: on a busy machine that may be little in all that time.
    var isComputing: Bool { report.trace.snapshot?.threads.contains(where: \.isBusy) == true }

    /// Notes in its trace that it is ended, so that whoever reads it later is told the same.
    func mark() { StallMark.write(path: path) }

    /// Its process is still there.
    var isThere: Bool { LiveProcess.writes(report.trace) }

    /// For standard error: what stalled and why in one line, what the doctor says, and what each thread does.
    var text: String {
      // That it found nothing is no answer here.
      let doctor = report.findings.isEmpty ? "" : "\n" + DoctorText(report).text(answers: false)
      return "optrace: \(sentence): \(answer)\n" + doctor + "\n" + stacks.text + "\n"
    }

    private var stacks: StacksText { StacksText(statuses, of: report.trace) }

    /// `test 'OrderTests/testRefund' stalled for 30 s`.
    var sentence: String { "\(subject) stalled for \(timeout.text)" }

    /// The findings, each with what stalled; where there is none that says why, that alone.
    func annotate(_ annotations: Annotations) throws {
      try annotations.write(report, addition: "\(sentence.prefix(1).uppercased() + sentence.dropFirst()).")
      guard !hasReason else { return }
      let location = places.first?.location
      let command = WorkflowCommand(
        .error, file: location?.file.map(Annotations.roots.path(of:)), line: location?.line, title: "stalled",
        message: "\(sentence): \(answer)")
      try Output.standard.write(command.text)
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

    /// Tests that run: those whose work the doctor names, else all. Of a program that is no test, what it measures.
    private var openSpans: [String] {
      let trace = report.trace
      let open = trace.spans.filter { $0.ended == nil }
      let first = report.findings.first { $0.severity != .note }
      let involved = Set((first?.operations ?? []).compactMap { trace.span(around: $0)?.id })
      let named = open.filter { involved.contains($0.id) }
      return (named.isEmpty ? open : named).map(\.name)
    }

    /// The doctor has found what is wrong.
    private var hasReason: Bool { report.findings.contains { $0.severity != .note } }

    /// As the doctor has it; where it has found nothing, where the program's own code waits.
    private var answer: String {
      guard !hasReason else { return report.answer }
      // What may be why, before where threads wait.
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

    /// Threads that wait in the program's own code, the main one first.
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
