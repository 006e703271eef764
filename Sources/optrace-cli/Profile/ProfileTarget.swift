import OpTraceKernel
import OpTraceProfile
import OpTraceSamples
import OpTraceText

/// The format of a profile, by the ending of the file's name.
enum ProfileTarget: Equatable {
  case text
  case json
  /// A picture, or a file for another tool.
  case file(ProfileFormat)

  static let help =
    "A name that ends with .svg gets a flame graph; .collapsed, .speedscope.json, .firefox.json and .pb.gz (pprof) are for "
    + "other tools; .json is this command's own."
  /// The last part of each ending.
  static var completedEndings: [String] {
    ["json"] + ProfileFormat.allCases.compactMap { $0.rawValue.split(separator: ".").last.map(String.init) }
  }

  init(writing path: String?) {
    if let format = path.flatMap({ ProfileFormat(fileName: $0) }) {
      self = .file(format)
    } else {
      self = path?.lowercased().hasSuffix(".json") == true ? .json : .text
    }
  }
}

extension ProfileFormat {
  /// - Parameter other: the profile to compare with, if the format allows that; nil: none.
  /// - Throws: what `sink` throws, and ``Failure`` if there is no memory for packing.
  func write(_ profile: Profile, comparedWith other: Profile?, to sink: ByteSink) throws {
    var options = FlameGraphExporter.Options()
    options.lost = profile.facts.lost
    options.notes = ProfileNotes(profile).sentences
    guard isGzipped else {
      return try ByteWriter.write(to: sink) { write(profile, against: other, options: options, to: $0) }
    }
    let gzip = try GzipSink()
    try ByteWriter.write(
      to: { try gzip.write($0, to: sink) }, { write(profile, against: other, options: options, to: $0) })
    try gzip.finish(to: sink)
  }
}
