import OpTraceKernel

/// Finds one code, and explains it. Each rule is in a file of its own, and has one line in
/// the ``RuleSet`` of its capability.
public struct DoctorRule: Sendable {
  /// The finding's code: `queue-self-wait`. A contract: codes never change their meaning.
  public var code: DoctorCode { trouble.code }
  /// The highest severity that it reports.
  public let severity: Finding.Severity
  /// Whether it reports something stuck, wrong or slow.
  public var symptom: Symptom { trouble.symptom }
  /// What it looks for.
  package let trouble: Trouble
  /// What the finding means, for `optrace doctor --explain`.
  public let guide: Guide
  let find: @Sendable (DoctorContext) -> [Finding]

  /// The three kinds of trouble.
  public enum Symptom: String, Sendable, CaseIterable {
    /// Nothing moves any more.
    case stuck
    /// It works, but it is wrong.
    case misuse
    /// It works, but it is slower than it needs to be.
    case slow
  }

  /// A page of the manual: some sentences, a mistake in code, and the same code fixed.
  public struct Guide: Sendable {
    /// What happens and why it is wrong, in some sentences.
    public var meaning: String
    /// The mistake, as Swift.
    public var wrong: String
    /// The same without the mistake, as Swift.
    public var right: String

    package init(_ meaning: String, wrong: String, right: String) {
      self.meaning = meaning
      self.wrong = wrong
      self.right = right
    }
  }

  package init(
    _ trouble: Trouble, _ severity: Finding.Severity, _ guide: Guide,
    find: @escaping @Sendable (DoctorContext) -> [Finding]
  ) {
    self.trouble = trouble
    self.severity = severity
    self.guide = guide
    self.find = find
  }
}
