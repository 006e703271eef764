#if os(Linux)
  import Foundation

  /// Lets `swift test` run only the tests in question.
  enum TestFilter {
    /// The arguments with the filter; nil: it is another program, or has a filter already.
    static func words(_ words: [RawText], line: [String], tests: [String]) -> [RawText]? {
      let program = (line.first ?? "") as NSString
      guard program.lastPathComponent == "swift", line.dropFirst().first == "test", !tests.isEmpty,
        !line.contains(where: { $0 == "--filter" || $0.hasPrefix("--filter=") }), words.count == line.count
      else { return nil }
      let filters = tests.flatMap { ["--filter", NSRegularExpression.escapedPattern(for: $0)] }
      return words.prefix(2) + filters.map { RawText($0) } + words.dropFirst(2)
    }
  }
#endif
