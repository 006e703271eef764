/// A named piece of work: `recorder.measure("…") { … }`, a test of a framework, or a span of the program's own tracer.
public struct SpanRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace.
  public var id: SpanID
  /// As the program gave it, last.
  public var name: String
  /// The operation, block or task in which it began; nil: none that is known.
  public var work: WorkID?
  /// When and on which thread it began.
  public var began: Stamp
  /// Nil: not ended.
  public var ended: Stamp?
  /// What it is to the other end of a call. Of a tracer's; else `internal`.
  public var kind = Kind.internal
  /// The span around it, as the tracer knows it; nil: none of this trace.
  public var parent: SpanID?
  /// As the program set them, each key once; at most 64.
  public var attributes: [Attribute] = []
  /// How it went; nil: nobody said so.
  public var status: Status?
  /// Its ids in distributed traces; nil: it is no span of a tracer.
  public var context: Context?
  /// Spans that it has to do with; at most 64.
  public var links: [Link] = []
  /// Attributes and links that there was no room for.
  public var leftOut = 0
  package var owner: TraceOwner { Self.owner(work) }

  /// The same as ``work``.
  public var operation: OperationID? { work }

  package init(id: SpanID = SpanID(0), name: String, operation: OperationID?, began: Stamp, ended: Stamp? = nil) {
    self.id = id
    self.name = name
    work = operation
    self.began = began
    self.ended = ended
  }

  /// What a span is to the other end of a call.
  public enum Kind: UInt8, Sendable, Equatable, CaseIterable {
    /// Neither end of a call.
    case `internal` = 0
    /// It serves a call from elsewhere.
    case server = 1
    /// It calls somebody else and waits for the answer.
    case client = 2
    /// It sends a message that somebody handles later.
    case producer = 3
    /// It handles such a message.
    case consumer = 4
  }

  /// What the program says of a span.
  public struct Attribute: Sendable, Equatable {
    /// What the value's text stands for.
    public enum ValueType: UInt8, Sendable, Equatable, CaseIterable {
      /// Itself.
      case text = 0
      /// A whole number.
      case integer = 1
      /// A floating-point number.
      case real = 2
      /// `true` or `false`.
      case flag = 3
    }

    /// Its name, such as `http.route`.
    public var key: String
    /// As a text, perhaps cut.
    public var value: String
    /// What it was to the program.
    public var type: ValueType

    package init(key: String, value: String, type: ValueType = .text) {
      self.key = key
      self.value = value
      self.type = type
    }
  }

  /// How a span went.
  public struct Status: Sendable, Equatable {
    /// The outcome.
    public enum Code: String, Sendable, Equatable, CaseIterable {
      /// The program said that it went well.
      case ok
      /// It failed.
      case error
    }

    /// The outcome.
    public var code: Code
    /// What the program said of it; nil: nothing.
    public var message: String?

    package init(code: Code, message: String? = nil) {
      self.code = code
      self.message = message
    }
  }

  /// The ids by which other processes know a span, as in a `traceparent`: lowercase hexadecimal digits.
  public struct Context: Sendable, Equatable {
    /// 32 digits.
    public var traceID: String
    /// 16 digits.
    public var spanID: String
    /// The span of another process that called this one: 16 digits; nil: none.
    public var remoteParent: String?

    package init(traceID: String, spanID: String, remoteParent: String? = nil) {
      self.traceID = traceID
      self.spanID = spanID
      self.remoteParent = remoteParent
    }

    /// Of a record's text, `trace-span` or `trace-span-remote`; nil: it is something else.
    init?(_ text: String) {
      let parts = text.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
      guard (2...3).contains(parts.count), Self.isID(parts[0], digits: 32),
        parts.dropFirst().allSatisfy({ Self.isID($0, digits: 16) })
      else { return nil }
      self.init(
        traceID: String(parts[0]), spanID: String(parts[1]), remoteParent: parts.count > 2 ? String(parts[2]) : nil)
    }

    private static func isID(_ text: Substring, digits: Int) -> Bool {
      let zero = UInt8(ascii: "0")
      return text.utf8.count == digits && text.utf8.contains { $0 != zero }
        && text.utf8.allSatisfy {
          (zero...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
  }

  /// A span that another one names.
  public struct Link: Sendable, Equatable {
    /// Its number; nil: it is not of this trace.
    public var span: SpanID?
    /// Its ids; nil: not known, as in anonymous traces.
    public var context: Context?

    package init(span: SpanID?, context: Context?) {
      self.span = span
      self.context = context
    }
  }
}
