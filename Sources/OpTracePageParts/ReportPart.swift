package import OpTraceDoctor
package import OpTraceModel
package import OpTraceText

/// A capability's part of the report's page: its style sheets and modules, and the data that they show.
///
/// The page knows no capability. Each offers a part, and a program adds those that its page has.
package struct ReportPart: Sendable {
  /// What the capability concludes from a trace.
  package struct Conclusions: Sendable {
    /// What rules of the doctor share, and need not compute again.
    package let facts: [any DoctorFacts]
    /// Writes the data as one JSON value. The trace is the one that the conclusions are from, or the same one after it
    /// has grown. Nil: there is nothing to show.
    package let write: (@Sendable (Trace, ByteWriter) -> Void)?

    package init(facts: [any DoctorFacts] = [], write: (@Sendable (Trace, ByteWriter) -> Void)?) {
      (self.facts, self.write) = (facts, write)
    }
  }

  /// The key of its data among the page's. Its modules give the same name to `addPart`.
  package let name: String
  /// Its style sheets and its modules, each module after those that it imports. O(length): only a page needs them.
  package var files: EmbeddedFiles { readFiles() }
  private let readFiles: @Sendable () -> EmbeddedFiles
  /// Draws the conclusions. Without them it has no data of its own.
  package let conclude: @Sendable (Trace) -> Conclusions
  /// Arranges work in lanes, beside the conclusions, and each time that the trace has grown. Nil: it has none. A page has the lanes of one
  /// part.
  package let lanes: (@Sendable (Trace, RuleSet) -> PageLanes)?

  package init(
    _ name: String, _ files: @autoclosure @escaping @Sendable () -> EmbeddedFiles,
    conclude: @escaping @Sendable (Trace) -> Conclusions = { _ in Conclusions(write: nil) },
    lanes: (@Sendable (Trace, RuleSet) -> PageLanes)? = nil
  ) {
    (self.name, self.readFiles, self.conclude, self.lanes) = (name, files, conclude, lanes)
  }
}

extension ReportPart: Contribution {
  /// What the doctor found: the tab of the page itself, which has its files. This is its place among the parts.
  package static let findings = ReportPart("findings", EmbeddedFiles())
}

extension Capability {
  /// What all rules find.
  package static let findings = Capability(ReportPart.findings)
}
