/// The text form of a trace: one line an event, for people, tests and bug reports.
public enum TraceText {
  /// The first line.
  public static let signature = "optrace text 1"

  /// Whether these first bytes of a file begin a text form.
  static func isText(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "optrace text ".utf8) }
}
