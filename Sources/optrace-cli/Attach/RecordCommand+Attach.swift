import ArgumentParser
import OpTraceFormat
import OpTraceModel
import OpTraceText

#if os(Linux)
  import Foundation
  import OpTraceAttach
  import OpTraceProcesses
#endif

/// `optrace record --pid`.
extension RecordCommand {
  func validateAttaching() throws {
    if let first = words.first {
      throw ValidationError("--pid names a program that runs already: omit '\(first)'.")
    }
    let others: [(String, Bool)] = [
      ("--runs", runs != nil), ("--stall-timeout", stallTimeout != nil), ("--keep-when", !keep.keepWhen.isEmpty),
      ("--push", pushing.push != nil), ("--push-every", pushEvery != nil), ("--debug-file", debugFile != nil),
    ]
    if let other = others.first(where: \.1)?.0 {
      throw ValidationError("\(other) is for a program that 'optrace record' starts itself: omit it, or --pid.")
    }
    try AttachedTime.check(duration, such: "30s")
    try validateFiles()
    try validateRing()
    try keep.validate(ring: nil)
  }

  #if os(Linux)
    /// Records a program that runs already, until the time is over, a signal such as Ctrl-C's, or its end.
    func attach(to process: UInt32) throws {
      let folder = RawPath.currentFolder
      let name = AttachedRun.programName(of: process)
      let path = try target(output ?? "\(printable(name)).\(process).optrace", in: folder)
      let pages = try report.map { try RecordPages.files($0, runs: nil) }
      var settings = attachedParts
      if let flightRecorder { settings["OPTRACE_FLIGHT_RECORDER"] = flightRecorder }
      if let stacks { settings["OPTRACE_STACKS"] = stacks.rawValue }
      let run = AttachedRun(process: process, path: path, settings: settings)
      let attachment = try run.begin(told: true)
      try run.waitAndEnd(attachment, after: duration.map(\.nanoseconds))
      let report = RecordReport(
        [.trace(processID: pid_t(process), path: attachment.trace)], program: name, folder: folder,
        process: pid_t(process), end: .exited(0), left: [], isAttached: true)
      try tell(report, pages: pages?.first)
    }

    /// All of `--all`, unless something is chosen.
    private var attachedParts: [String: String] {
      let chosen = parts.variables
      return chosen.isEmpty ? RecordedParts.everything : chosen
    }

    private func tell(_ report: RecordReport, pages: String?) throws {
      Console.error(report.text())
      var isFound = false
      if failOn != nil || annotations != nil || writeKnown != nil {
        var known = try KnownFindings(from: known, to: writeKnown)
        let findings = try RecordFindings(
          in: report.traces, from: failOn, known: &known, annotations: annotations, stalled: nil)
        try known.write()
        Console.error(findings.text)
        isFound = findings.isFound
      }
      var lacksPages = false
      if let pages {
        let written = RecordPages(of: report.traces, to: pages)
        Console.error(written.text)
        lacksPages = !written.isWhole
      }
      if let path = report.firstTrace {
        if !isFound { Console.error(report.answer) }
        Console.error(report.hints)
        if open { show(path) }
      }
      if isFound { throw ExitStatus.foundError }
      if lacksPages { throw ExitStatus.cannotWrite }
    }
  #endif
}
