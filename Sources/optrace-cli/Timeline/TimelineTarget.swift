import ArgumentParser
import Foundation
import OpTraceTimeline

/// The form in which a timeline is written: one of the formats, plain or packed by gzip.
struct TimelineTarget: ExpressibleByArgument, Equatable {
  let format: TimelineFormat
  let isPacked: Bool

  var name: String { format.name + (isPacked ? Self.packedEnding : "") }
  var isText: Bool { format.isText && !isPacked }

  private static let packedEnding = ".gz"
  static let usual = TimelineTarget(format: TimelineFormat.all[0], isPacked: false)
  private static let all = TimelineFormat.all.flatMap { format in
    [false, true].map { TimelineTarget(format: format, isPacked: $0) }
  }

  static var allValueStrings: [String] { all.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
  /// The names, as a list in a sentence.
  static var names: String {
    allValueStrings.dropLast().joined(separator: ", ") + " or " + (allValueStrings.last ?? "")
  }
  static var completedEndings: [String] { TimelineFormat.all.flatMap(\.endings) + ["gz"] }

  private init(format: TimelineFormat, isPacked: Bool) {
    self.format = format
    self.isPacked = isPacked
  }

  init?(argument: String) {
    guard let found = Self.all.first(where: { $0.name == argument }) else { return nil }
    self = found
  }

  /// Chooses the format by the path, like `graph`: an unknown ending needs `--format`, and no ending means the usual
  /// format.
  init(writing path: String?) throws {
    guard let path, path != "-" else {
      self = .usual
      return
    }
    let name = path.lowercased()
    for target in Self.all.reversed() {
      let endings = target.format.endings.map { "." + $0 + (target.isPacked ? Self.packedEnding : "") }
      guard endings.contains(where: name.hasSuffix) else { continue }
      self = target
      return
    }
    guard (name as NSString).pathExtension.isEmpty || path.hasPrefix("/dev/") else {
      throw Failure.usage("'\(printable(path))' ends with no known format; say --format \(Self.names)")
    }
    self = .usual
  }
}
