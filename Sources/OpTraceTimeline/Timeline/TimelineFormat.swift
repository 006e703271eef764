public import OpTraceModel
public import OpTraceText

/// Writes a timeline in one format.
public protocol TimelineExporter: Sendable {
  /// A timeline of this trace.
  init(_ trace: Trace, options: TimelineOptions)

  /// Throws what `sink` throws.
  @discardableResult
  func write(to sink: ByteSink) throws -> TimelineCounts
}

/// A format that timelines are written in.
public struct TimelineFormat: Sendable, Equatable {
  /// As people name it.
  public let name: String
  /// What names of its files end in, without the dot, in lower case; the usual one first.
  public let endings: [String]
  /// Text, which a terminal can show.
  public let isText: Bool
  private let exporter: any TimelineExporter.Type

  /// What writes this trace in this format.
  public func exporter(_ trace: Trace, options: TimelineOptions = TimelineOptions()) -> any TimelineExporter {
    exporter.init(trace, options: options)
  }

  public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  /// The JSON of Chrome's trace viewer, which Perfetto's page opens too.
  public static let json = Self(name: "json", endings: ["json"], isText: true, exporter: ChromeTraceExporter.self)
  /// Perfetto's own format, in protobuf: a fifth of the JSON's bytes.
  public static let perfetto = Self(
    name: "perfetto", endings: ["pftrace", "perfetto-trace"], isText: false, exporter: PerfettoTraceExporter.self)

  /// All that there are; the first is written where nobody says which.
  public static let all = [json, perfetto]
}
