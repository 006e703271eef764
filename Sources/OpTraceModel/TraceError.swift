/// Why nothing of a trace could be read. A trace that is sound in part gives no error but a ``LossReport``.
public struct TraceError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Reason: Sendable, Equatable {
    case noSuchFile
    /// The system's words.
    case cannotRead(String)
    case empty
    /// What the file looks like instead, with its article: "JSON", "a gzip file".
    case notATrace(looksLike: String)
    /// The format's version and the version of OpTrace that wrote it.
    case newerVersion(format: String, writer: String)
    case unreadableHeader(String)
    /// In the text form: the line (from 1) and what was expected.
    case text(line: Int, String)
  }

  /// The path as it was given, or what stands for it.
  public var file: String
  public var reason: Reason

  public init(file: String, _ reason: Reason) {
    self.file = file
    self.reason = reason
  }

  /// There is no such input, or it can't be opened: as opposed to one that is there and wrong.
  public var isMissingInput: Bool {
    switch reason {
    case .noSuchFile, .cannotRead: true
    default: false
    }
  }

  public var description: String {
    switch reason {
    case .noSuchFile:
      "\(file): no such file"
    case .cannotRead(let why):
      "\(file): cannot be read: \(why)"
    case .empty:
      "\(file): the file is empty: the program that should have written it recorded nothing"
    case .notATrace(let looksLike):
      "\(file): not a trace: it looks like \(looksLike)"
    case .newerVersion(let format, let writer):
      "\(file): written by a newer version of OpTrace (\(writer), format \(format)): update optrace to read it"
    case .unreadableHeader(let why):
      "\(file): the header cannot be read: \(why)"
    case .text(let line, let message):
      "\(file):\(line): \(message)"
    }
  }
}
