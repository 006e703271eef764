#if os(Linux)
  import OpTraceAnalysis
  import OpTraceModel
  import OpTraceText

  /// A process in which nothing has moved for as long as `--stall-timeout` says, and why.
  struct StalledProcess {
    /// Its trace.
    let path: String
    let report: DoctorReport
    private let timeout: StallTimeout

    /// More tests are counted.
    private static let mostTests = 3

    /// - Parameters:
    ///   - first: a look at it from before, since which nothing has moved.
    ///   - last: a look at it now.
    init(_ path: String, timeout: StallTimeout, first: StallLook, last: StallLook) {
      self.path = path
      self.timeout = timeout
      // The first look comes earlier than the timeout, and the silence has to count by then.
      let stallAfter = min(DoctorReport.defaultStallAfter, timeout.nanoseconds / 5 * 2)
      report = DoctorReport(of: first.reading, then: last.readingOfNow, stallAfter: stallAfter)
    }

    /// For standard error: what stalled and why in one line, what the doctor says, and what each thread does.
    var text: String {
      let stacks = StacksText(ThreadStatuses(of: report.trace), of: report.trace).text
      // What the doctor says of a program that works is no answer here.
      let doctor = isUnknown && report.findings.isEmpty ? "" : DoctorText(report).text(answers: false)
      return "optrace: \(sentence): \(answer)\n" + (doctor.isEmpty ? "" : "\n" + doctor) + "\n" + stacks
    }

    /// `test 'OrderTests/testRefund' stalled for 30 s`.
    var sentence: String { "\(subject) stalled for \(timeout.text)" }

    /// The findings, each with what stalled; where there is none that says why, that alone.
    func annotate(_ annotations: Annotations) throws {
      try annotations.write(report, addition: "\(sentence.prefix(1).uppercased() + sentence.dropFirst()).")
      guard !report.findings.contains(where: { $0.severity != .note }) else { return }
      let command = WorkflowCommand(.error, file: nil, line: nil, title: "stalled", message: "\(sentence): \(answer)")
      try Output.standard.write(command.text)
    }

    private var subject: String {
      let program = "'\(printable(report.trace.header.processName))'"
      let names = openSpans
      guard !names.isEmpty else { return program }
      var shown = names.prefix(Self.mostTests).map { "'\(printable($0))'" }
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

    /// The trace shows nothing that is open: a test that waits for something which is not recorded.
    private var isUnknown: Bool { report.verdict == .healthy && !report.isStandstill }

    private var answer: String {
      guard isUnknown else { return report.answer }
      let trace = report.trace
      let threads = report.doors.prefix(Self.mostTests).map(\.text)
      var text = "Nothing has moved, and no work is open that is recorded"
      text += threads.isEmpty ? "." : ": \(listed(threads))."
      guard trace.blocks.isEmpty, trace.tasks.isEmpty else { return text }
      return text + " Add --tasks and --dispatch to record Swift's tasks and blocks of dispatch queues, too."
    }
  }
#endif
