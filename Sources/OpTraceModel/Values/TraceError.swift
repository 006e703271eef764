/// Why nothing of a trace could be read. A trace that is sound in part gives a ``LossReport`` instead of an error.
///
/// ```swift
/// do { trace = try TraceReader.read(path: path) } catch {
///   switch error.code {
///   case .noSuchFile: …
///   default: print(error)
///   }
/// }
/// ```
public struct TraceError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong with the input. Later versions may add codes, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The member's own name, such as `notATrace`.
    public let description: String

    /// There is nothing at this path.
    public static let noSuchFile = Code(description: "noSuchFile")
    /// Something is there, but the system or OpTrace refuses to read it: no permission, a folder, a text that is too
    /// long.
    public static let cannotRead = Code(description: "cannotRead")
    /// An empty file: the program that should have written it recorded nothing.
    public static let empty = Code(description: "empty")
    /// Something else, such as JSON or a compressed file.
    public static let notATrace = Code(description: "notATrace")
    /// The format's major version is newer than this OpTrace.
    public static let newerVersion = Code(description: "newerVersion")
    /// A trace whose first bytes are damaged, so that nothing behind them can be understood.
    public static let unreadableHeader = Code(description: "unreadableHeader")
    /// A line of the text form that breaks its rules; ``TraceError/line`` says which.
    public static let invalidText = Code(description: "invalidText")
    /// The input should be unpacked, but is not packed: it is a plain trace.
    public static let notPacked = Code(description: "notPacked")
    /// A packed trace that would unpack to more bytes than its reader accepts.
    public static let tooLarge = Code(description: "tooLarge")
    /// The file was cut, or reused by its writer, while an ``EventReader`` read it.
    public static let changed = Code(description: "changed")
  }

  /// The code together with its details.
  package enum Reason: Sendable, Equatable {
    case noSuchFile
    /// The system's text.
    case cannotRead(String)
    case empty
    /// What the file looks like instead, with its article: "JSON", "a gzip file".
    case notATrace(looksLike: String)
    /// The format's version and the version of OpTrace that wrote it.
    case newerVersion(format: String, writer: String)
    case unreadableHeader(String)
    /// In the text form: the line (from 1) and what was expected.
    case text(line: Int, String)
    case notPacked
    /// In bytes.
    case tooLarge(unpacked: UInt64, limit: UInt64)
    case changed
  }

  /// The path that was given, or a substitute for it.
  public let file: String
  package let reason: Reason

  package init(file: String, _ reason: Reason) {
    self.file = file
    self.reason = reason
  }

  /// What is wrong, for a `switch`.
  public var code: Code {
    switch reason {
    case .noSuchFile: .noSuchFile
    case .cannotRead: .cannotRead
    case .empty: .empty
    case .notATrace: .notATrace
    case .newerVersion: .newerVersion
    case .unreadableHeader: .unreadableHeader
    case .text: .invalidText
    case .notPacked: .notPacked
    case .tooLarge: .tooLarge
    case .changed: .changed
    }
  }

  /// The line of the text form, from 1; nil for all codes except ``Code/invalidText``.
  public var line: Int? {
    if case .text(let line, _) = reason { line } else { nil }
  }

  /// Whether there is no such input, or it cannot be opened; false if it can be opened, but is wrong.
  public var isMissingInput: Bool { code == .noSuchFile || code == .cannotRead }

  /// What is wrong and what to do about it, without the file's name.
  public var message: String {
    switch reason {
    case .noSuchFile: "no such file"
    case .cannotRead(let why): "cannot be read: \(why)"
    case .empty: "the file is empty: the program that should have written it recorded nothing"
    case .notATrace(let looksLike): "not a trace: it looks like \(looksLike)"
    case .newerVersion(let format, let writer):
      "written by a newer version of OpTrace (\(writer), format \(format)): update optrace to read it"
    case .unreadableHeader(let why): "the header cannot be read: \(why)"
    case .text(_, let message): message
    case .notPacked: "it is not packed: it is a plain trace"
    case .tooLarge(let unpacked, let limit):
      "unpacked it has \(grouped(unpacked)) bytes, more than the limit of \(grouped(limit)): "
        + "set a larger limit if you trust the file"
    case .changed: "the file changed while it was read: read it again"
    }
  }

  /// The file, the line of a text, and the ``message``: `run.optrace: no such file`.
  public var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)" }
}

/// `12,345`: the format of counts, sizes and offsets in every sentence for people, whatever the locale.
package func grouped(_ number: some BinaryInteger) -> String {
  let digits = String(number.magnitude)
  var result = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { result += "," }
    result.append(digit)
  }
  return (number < 0 ? "-" : "") + result
}
