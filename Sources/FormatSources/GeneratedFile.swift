import Foundation

/// A file of the package that is made from `OpTraceFormat`, or has parts that are.
///
/// By a program that needs nothing else of the package, and none of these files: the code that uses a new event does not build
/// before they know it.
enum GeneratedFile: String, CaseIterable {
  case fields = "Sources/COpTrace/include/COpTraceFields.h"
  case traits = "Sources/COpTrace/include/COpTraceTraits.h"
  case numbers = "Sources/COpTrace/include/COpTraceFormat.h"
  case document = "Documentation/format.md"
  case library = "Documentation/library.md"
  case dictionary = "Fuzz/text.dict"
  /// Written last: it says what all of them were made from.
  case swiftFields = "Sources/OpTraceFormat/EventFields.swift"

  struct NoPlace: Error, CustomStringConvertible {
    let file: GeneratedFile
    var description: String { "\(file.rawValue) has no place for what the table of events says" }
  }

  func current(in package: URL) throws -> String {
    try String(contentsOf: package.appendingPathComponent(rawValue), encoding: .utf8)
  }

  /// What it should contain. `sum`: the checksum of what it is made from.
  func wanted(in package: URL, sum: String) throws -> String {
    switch self {
    case .swiftFields: return FieldSources.swift(sum: sum)
    case .fields: return FieldSources.c
    case .traits: return FieldSources.traits
    case .numbers:
      return FormatNumbers.c(try FormatNumbers.groups(in: package.appendingPathComponent("Sources/OpTraceFormat")))
    case .document: return try parts(in: package, FormatDocument.updated)
    case .library: return try parts(in: package) { $0.withFormatVersion(behind: "| traces | major and minor, now ") }
    case .dictionary: return try parts(in: package, FuzzDictionary.updated)
    }
  }

  private func parts(in package: URL, _ updated: (String) -> String?) throws -> String {
    guard let text = updated(try current(in: package)) else { throw NoPlace(file: self) }
    return text
  }

  /// Leaves a file alone that is right, so that nothing is built anew for it. Returns whether it was not.
  func update(in package: URL, sum: String) throws -> Bool {
    let wanted = try wanted(in: package, sum: sum)
    guard try current(in: package) != wanted else { return false }
    try wanted.write(to: package.appendingPathComponent(rawValue), atomically: true, encoding: .utf8)
    return true
  }
}
