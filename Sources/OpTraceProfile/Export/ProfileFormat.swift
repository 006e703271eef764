import OpTraceKernel
package import OpTraceSamples
package import OpTraceText

/// What a profile can be written as; a file's name says which.
package enum ProfileFormat: String, Sendable, CaseIterable {
  /// A flame graph that any browser opens.
  case flameGraph = ".svg"
  /// pprof's, which is gzipped: what is written here is yet to be packed.
  case pprof = ".pb.gz"
  /// A line for each stack, for scripts and for what draws flame graphs.
  case collapsed = ".collapsed"
  /// For speedscope.app.
  case speedscope = ".speedscope.json"
  /// For profiler.firefox.com.
  case firefox = ".firefox.json"

  /// By the ending of a file's name, in letters of any size; nil: no format has it.
  package init?(fileName: String) {
    let name = fileName.lowercased()
    // A name that is nothing but the ending is a hidden file without one.
    guard let format = Self.allCases.first(where: { name.hasSuffix($0.rawValue) && !Self.isBare(name, $0) }) else {
      return nil
    }
    self = format
  }

  private static func isBare(_ name: String, _ format: Self) -> Bool {
    name == format.rawValue || name.hasSuffix("/" + format.rawValue)
  }

  /// The file's bytes are to be packed with gzip.
  package var isGzipped: Bool { self == .pprof }

  /// Two profiles can be compared in it.
  package var showsDifference: Bool { self == .flameGraph }

  /// Writes a profile in this format. O(samples × depth).
  /// - Parameters:
  ///   - base: what it is compared with; only formats that show differences look at it.
  ///   - options: for the flame graph.
  package func write(
    _ profile: Profile, against base: Profile? = nil, options: FlameGraphExporter.Options = .init(),
    to writer: ByteWriter
  ) {
    switch self {
    case .flameGraph:
      if let base {
        FlameGraphExporter.write(profile, against: base, options: options, to: writer)
      } else {
        FlameGraphExporter.write(profile, options: options, to: writer)
      }
    case .pprof: PprofExporter.write(profile, to: writer)
    case .collapsed: CollapsedExporter.write(profile, to: writer)
    case .speedscope: SpeedscopeExporter.write(profile, to: writer)
    case .firefox: FirefoxExporter.write(profile, to: writer)
    }
  }
}
