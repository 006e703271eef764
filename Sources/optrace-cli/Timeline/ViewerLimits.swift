import OpTraceTimeline
import OpTraceText

/// What trace viewers can load, measured with files of this kind; see Documentation/pictures.md.
enum ViewerLimits {
  /// Perfetto's page needs about ten seconds for this many slices.
  static let comfortableSlices = 1_000_000
  /// The most text that the old viewer (chrome://tracing) can hold.
  static let oldViewerBytes = 512 << 20
  /// The limit of Perfetto's page, at about 2 GB of memory.
  static let mostSlices = 12_000_000

  /// What to do about a file that is hard to view; nil: it is not. `bytes` is its size.
  static func warning(slices: Int, bytes: Int, _ target: TimelineTarget) -> String? {
    let isForOldViewer = target.format == .json
    let isTooMuchText = isForOldViewer && !target.isPacked && bytes > oldViewerBytes
    guard slices > comfortableSlices || isTooMuchText else { return nil }
    let seconds = max(1, slices / (isForOldViewer ? 120_000 : 150_000))
    var consequence =
      "Perfetto takes about \(seconds) s to load them" + (isForOldViewer ? ", chrome://tracing cannot" : "")
    if slices > mostSlices { consequence = "more than a browser's memory holds" }
    return "\(counted(slices, "slice")): \(consequence); for a part of them use --around NAME, --from and --to, "
      + "--queue NAME, --class NAME or --min-duration 1ms"
  }
}
