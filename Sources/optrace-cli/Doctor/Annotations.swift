import ArgumentParser
import Foundation
import OpTraceDoctor
import OpTraceFormat
import OpTraceText

/// The option `--annotations`: findings in the form that a CI service picks up from the output of a job.
enum Annotations: String, ExpressibleByArgument, CaseIterable {
  case github

  static let help = ArgumentHelp(
    "Also print each finding on standard output as an annotation: 'github' (workflow commands of GitHub Actions).",
    valueName: "service")

  /// The folders that paths of source files are relative to: the job's checkout, else the folder in which the command
  /// was called.
  static var roots: SourceRoots {
    SourceRoots([ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"] ?? "", RawPath.currentFolder])
  }

  /// - Parameter addition: one more line of each message.
  func write(_ report: DoctorReport, addition: String? = nil) throws {
    // As bytes: these are the commands that the service is to obey.
    try Output.standard.write(Array(report.annotations(roots: Self.roots, addition: addition).utf8))
  }
}
