import OpTraceDoctor
import OpTraceLive
import OpTracePage
import OpTraceReport
import OpTraceTables

extension Capability {
  /// Those that the command has: all that a library has.
  fileprivate static let command = report
}

extension RuleSet {
  /// The rules of all capabilities that the command has, in the order in which findings are reported.
  static let command = RuleSet(of: Capability.command)
}

extension TableSet {
  /// The tables of all capabilities that the command has, in the order in which they are shown.
  static let command = TableSet(of: Capability.command)
}

extension SectionSet {
  /// The sections of all capabilities that the command has, in the order in which `top` shows them.
  static let command = SectionSet(of: Capability.command)
}

extension ReportPage {
  /// The report's page with the parts of all capabilities that the command has, in the order of their tabs and sections.
  static let command = ReportPage(of: Capability.command)
}
