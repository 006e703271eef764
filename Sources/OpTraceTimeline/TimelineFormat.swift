public import OpTraceModel
package import OpTraceText

/// A format that timelines are written in.
public struct TimelineFormat: Sendable, Equatable {
  /// The name that people use for it.
  public let name: String
  /// The endings of its file names, without the dot, in lower case; the usual one first.
  public let endings: [String]
  /// Whether it is text, which a terminal can show.
  public let isText: Bool
  private let exporter: any TimelineExporter.Type
  private let joined: @Sendable (JoinedTimeline, [TimelineOptions], ByteSink) throws -> TimelineCounts

  /// Returns an exporter that writes this trace in this format.
  public func exporter(_ trace: Trace, options: TimelineOptions) -> any TimelineExporter {
    exporter.init(trace, options: options)
  }

  /// Writes several traces as one timeline. O(n log n). Throws what `sink` throws.
  /// - Parameter options: the options, by trace.
  package func write(
    _ traces: JoinedTimeline, options: [TimelineOptions], to sink: ByteSink
  ) throws -> TimelineCounts {
    try joined(traces, options, sink)
  }

  public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  /// The JSON of Chrome's trace viewer, which Perfetto's page opens too.
  public static let json = Self(
    name: "json", endings: ["json"], isText: true, exporter: ChromeTraceExporter.self,
    joined: { try ChromeEvents.write($0, $1, to: $2) })
  /// Perfetto's own format, in protobuf: a fifth of the JSON's bytes.
  public static let perfetto = Self(
    name: "perfetto", endings: ["pftrace", "perfetto-trace"], isText: false, exporter: PerfettoTraceExporter.self,
    joined: { try PerfettoEvents.write($0, $1, to: $2) })

  /// All formats. The first one is written if none is specified.
  public static let all = [json, perfetto]
}
