import OpTraceDoctor
import OpTraceHangs
import OpTraceRequests
import OpTraceSummary

extension RuleSet {
  /// The rules of all capabilities that the command has, in the order in which findings are reported.
  static let command = hangs + summary + requests
}
