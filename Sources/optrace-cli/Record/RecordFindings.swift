#if os(Linux)
  import OpTraceAnalysis
  import OpTraceModel
  import OpTraceText

  /// What the doctor says of the traces of a run, as far as `--fail-on` asks for it.
  struct RecordFindings {
    /// More are counted: `optrace doctor` tells them.
    private static let mostFindings = 3

    /// The doctor has one.
    private(set) var isFound = false
    /// For standard error.
    private(set) var text = ""

    /// Each trace is read anew, with the names of its code; of a process that still runs twice, as `optrace doctor` does.
    init(in traces: [RecordedTrace], from worst: RecordCommand.Severity) {
      for trace in traces {
        let path = quoted(trace.name)
        do {
          let report = try DoctorExamination(of: TraceInput(path: trace.path), stallAfter: nil).report
          let found = report.findings.filter { $0.severity == .error || ($0.severity == .warning && worst == .warning) }
          guard !found.isEmpty else { continue }
          isFound = true
          let doctor = DoctorText(report)
          text += found.prefix(Self.mostFindings).map { "\n" + doctor.text(of: $0) + "\n" }.joined()
          let more = found.count > Self.mostFindings ? "\(grouped(found.count - Self.mostFindings)) more; all" : "found"
          text += "\noptrace: \(more) in \(trace.phrase): \(calledCommand) doctor \(path)\n"
        } catch {
          text += "optrace: \(path) cannot be examined: \((error as? Failure)?.message ?? printable("\(error)"))\n"
        }
      }
      guard !isFound, !traces.isEmpty else { return }
      let words = worst == .error ? "no error" : "neither an error nor a warning"
      text += "optrace: the doctor has \(words) in \(counted(traces.count, "trace"))\n"
    }
  }
#endif
