import Foundation

/// A file of the package that is made from `OpTraceFormat`, or has parts that are.
///
/// By a program that needs nothing else of the package: the code that uses a new event does not build before these files
/// know it.
enum GeneratedFile: String, CaseIterable {
  case swiftFields = "Sources/OpTraceFormat/EventFields.swift"
  case fields = "Sources/COpTrace/include/COpTraceFields.h"
  case traits = "Sources/COpTrace/include/COpTraceTraits.h"
  case numbers = "Sources/COpTrace/include/COpTraceFormat.h"
  case document = "Documentation/format.md"

  struct NoPlace: Error, CustomStringConvertible {
    let file: GeneratedFile
    var description: String { "\(file.rawValue) has no place for the table of events" }
  }

  func current(in package: URL) throws -> String {
    try String(contentsOf: package.appendingPathComponent(rawValue), encoding: .utf8)
  }

  /// What it should contain.
  func wanted(in package: URL) throws -> String {
    switch self {
    case .swiftFields: return FieldSources.swift
    case .fields: return FieldSources.c
    case .traits: return FieldSources.traits
    case .numbers:
      return FormatNumbers.c(try FormatNumbers.groups(in: package.appendingPathComponent("Sources/OpTraceFormat")))
    case .document:
      guard let text = FormatDocument.updated(try current(in: package)) else { throw NoPlace(file: self) }
      return text
    }
  }

  /// Leaves a file alone that is right, so that nothing is built anew for it. Returns whether it was not.
  func update(in package: URL) throws -> Bool {
    let wanted = try wanted(in: package)
    guard try current(in: package) != wanted else { return false }
    try wanted.write(to: package.appendingPathComponent(rawValue), atomically: true, encoding: .utf8)
    return true
  }
}
