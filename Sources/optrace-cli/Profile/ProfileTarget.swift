import OpTraceKernel
import OpTraceProfile
import OpTraceSamples
import OpTraceText

/// The format of what is written, by the ending of the file's name.
enum ProfileTarget: Equatable {
  case text
  case json
  /// A picture, or a file for another tool.
  case file(ProfileFormat)

  /// The last part of each ending.
  static func completedEndings(of formats: [ProfileFormat]) -> [String] {
    ["json"] + formats.compactMap { $0.rawValue.split(separator: ".").last.map(String.init) }
  }

  /// - Parameter formats: those that the command has.
  init(writing path: String?, of formats: [ProfileFormat]) {
    if let format = path.flatMap({ ProfileFormat(fileName: $0) }), formats.contains(format) {
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
    try write(profile, comparedWith: other, notes: ProfileNotes(profile).sentences, to: sink)
  }

  /// - Parameter notes: sentences below the title of a picture.
  func write(
    _ profile: Profile, comparedWith other: Profile? = nil, notes: [String], to sink: ByteSink
  ) throws {
    var options = FlameGraphExporter.Options()
    options.lost = profile.facts.lost
    options.notes = notes
    guard isGzipped else {
      return try ByteWriter.write(to: sink) { write(profile, against: other, options: options, to: $0) }
    }
    let gzip = try GzipSink()
    try ByteWriter.write(
      to: { try gzip.write($0, to: sink) }, { write(profile, against: other, options: options, to: $0) })
    try gzip.finish(to: sink)
  }
}
