import OpTraceDoctor

#if os(Linux)
  import OpTraceKernel
  import OpTraceModel
  import OpTraceText

  /// The doctor's findings about the traces of a run, as `--fail-on` and `--annotations` ask for.
  struct RecordFindings {
    /// More findings are only counted: `optrace doctor` shows them.
    private static let mostFindings = 3

    /// Whether there is a finding that `--fail-on` asks for.
    private(set) var isFound = false
    /// The text for standard error.
    private(set) var text = ""
    private let worst: RecordCommand.Severity?
    private let annotations: Annotations?

    /// Reads each trace again, with the names of its code; if its process still runs, twice, like `optrace doctor`.
    /// Prints annotations.
    ///
    /// - Parameters:
    ///   - worst: the lowest severity of findings to show; nil: show none.
    ///   - stalled: what was reported already.
    ///   - known: findings that do not count.
    init(
      in traces: [RecordedTrace], from worst: RecordCommand.Severity?, known: inout KnownFindings,
      annotations: Annotations?, stalled: StalledProcess?
    ) throws {
      (self.worst, self.annotations) = (worst, annotations)
      var left = 0
      for trace in traces where trace.path != stalled?.path {
        do {
          var report = try DoctorExamination(of: TraceInput(path: trace.path), stallAfter: nil).report
          left += known.take(from: &report.findings)
          tell(report, of: trace)
          try annotations?.write(report)
        } catch {
          text +=
            "optrace: \(quoted(trace.name)) cannot be examined: \((error as? Failure)?.message ?? printable("\(error)"))\n"
        }
      }
      if let stalled, let annotations { try stalled.annotate(annotations) }
      if left > 0 { text += "optrace: \(counted(left, "finding", is: true)) known, and left out\n" }
      guard let worst, !isFound, stalled == nil, !traces.isEmpty else { return }
      let words =
        switch worst {
        case .error: "no error"
        case .warning: "neither an error nor a warning"
        case .order: "neither an error nor what may hang another time"
        }
      text += "optrace: the doctor has \(words) in \(counted(traces.count, "trace"))\n"
    }

    private mutating func tell(_ report: DoctorReport, of trace: RecordedTrace) {
      guard let worst else { return }
      let found = report.findings.filter { finding in
        switch worst {
        case .error: finding.severity == .error
        case .warning: finding.severity != .note
        case .order: finding.severity == .error || finding.isLatent
        }
      }
      guard !found.isEmpty else { return }
      isFound = true
      let doctor = DoctorText(report)
      text += found.prefix(Self.mostFindings).map { "\n" + doctor.text(of: $0) + "\n" }.joined()
      let more = found.count > Self.mostFindings ? "\(grouped(found.count - Self.mostFindings)) more; all" : "found"
      text += "\noptrace: \(more) in \(trace.phrase): \(calledCommand) doctor \(quoted(trace.name))\n"
    }
  }
#endif
