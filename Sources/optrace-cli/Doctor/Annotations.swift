import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceText

/// The option `--annotations`: findings in the form in which a CI service takes them from the output of a job.
enum Annotations: String, ExpressibleByArgument, CaseIterable {
  case github

  static let help = ArgumentHelp(
    "Also print each finding on standard output as an annotation: 'github' (workflow commands of GitHub Actions).",
    valueName: "service")

  /// What paths of source files are told relative to: the checkout of the job, else the folder that the command was called in.
  static var roots: SourceRoots {
    SourceRoots([ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"] ?? "", RawPath.currentFolder])
  }

  /// - Parameter addition: one more line of each message.
  func write(_ report: DoctorReport, addition: String? = nil) throws {
    try Output.standard.write(report.annotations(roots: Self.roots, addition: addition))
  }
}
