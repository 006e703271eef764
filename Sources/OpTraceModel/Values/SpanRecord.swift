/// A named piece of work: `recorder.measure("…") { … }`, a test of a framework, or a span of the program's own tracer.
public struct SpanRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace.
  public var id: SpanID
  /// The name that the program gave it last.
  public var name: String
  /// The operation, block or task in which it began; nil: none that is known.
  public var work: WorkID?
  /// When and on which thread it began.
  public var began: Stamp
  /// When and on which thread it ended; nil: it has not.
  public var ended: Stamp?
  /// Its role in a call between services, for spans of a tracer; else `internal`.
  public var kind = Kind.internal
  /// The span around it, as the tracer knows it; nil: none of this trace.
  public var parent: SpanID?
  /// The attributes that the program set, each key once; at most 64.
  public var attributes: [Attribute] = []
  /// The outcome; nil: the program reported none.
  public var status: Status?
  /// Its ids in distributed traces; nil: it does not come from a tracer.
  public var context: Context?
  /// Related spans; at most 64.
  public var links: [Link] = []
  /// The number of attributes and links that were left out for lack of room.
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

  /// The role of a span in a call between services.
  public enum Kind: UInt8, Sendable, Equatable, CaseIterable {
    /// Neither end of a call.
    case `internal` = 0
    /// It serves a call from elsewhere.
    case server = 1
    /// It calls another service and waits for the answer.
    case client = 2
    /// It sends a message that is handled later.
    case producer = 3
    /// It handles such a message.
    case consumer = 4
  }

  /// A key and a value that the program set on a span.
  public struct Attribute: Sendable, Equatable {
    /// The original type of the value.
    public enum ValueType: UInt8, Sendable, Equatable, CaseIterable {
      /// A string.
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
    /// The value as a text, perhaps cut.
    public var value: String
    /// The type it had in the program.
    public var type: ValueType

    package init(key: String, value: String, type: ValueType = .text) {
      self.key = key
      self.value = value
      self.type = type
    }
  }

  /// The outcome of a span.
  public struct Status: Sendable, Equatable {
    /// The outcome.
    public enum Code: String, Sendable, Equatable, CaseIterable {
      /// The program reported success.
      case ok
      /// The program reported a failure.
      case error
    }

    /// The outcome.
    public var code: Code
    /// The program's description of it; nil: none.
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

    /// Parses a record's text, `trace-span` or `trace-span-remote`; nil: it is something else.
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

  /// A reference to another span.
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
