import Foundation
import OpTraceFormat
import Testing

@testable import FormatSources

/// What is made from the table of events is as `scripts/make-format` makes it. make calls that before it builds.
@Suite struct GeneratedFileTests {
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// What `scripts/make-format` prints, and its exit status.
  private static func makeFormat(_ option: String, in folder: URL = package) throws -> (output: String, status: Int32) {
    let process = Process()
    let output = Pipe()
    process.executableURL = folder.appendingPathComponent("scripts/make-format")
    process.arguments = [option]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.trimmingCharacters(in: .newlines), process.terminationStatus)
  }

  @Test(arguments: GeneratedFile.allCases) func isAsTheTableHasIt(_ file: GeneratedFile) throws {
    let wanted = try file.wanted(in: Self.package, sum: Self.makeFormat("--sum").output)
    let isCurrent = try file.current(in: Self.package) == wanted
    #expect(isCurrent, "\(file.rawValue) is not what the table of events says: run scripts/make-format --anew")
  }

  /// With a sum that is not theirs, everybody who builds a new clone would wait for the generator.
  @Test("the script sees that everything is current, and when a source has changed") func change() throws {
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("make-format-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: copy) }
    for path in ["scripts/make-format", "Sources/OpTraceFormat", "Sources/FormatSources"] {
      let to = copy.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Self.package.appendingPathComponent(path), to: to)
    }
    #expect(try Self.makeFormat("--check", in: copy) == ("", 0))
    for file in ["OpTraceFormat/EventTable.swift", "OpTraceFormat/Layout.swift", "FormatSources/FieldSources.swift"] {
      let url = copy.appendingPathComponent("Sources/\(file)")
      let text = try String(contentsOf: url, encoding: .utf8)
      // Nothing is made from comments.
      try (text + "// A comment.\n").write(to: url, atomically: true, encoding: .utf8)
      #expect(try Self.makeFormat("--check", in: copy).status == 0, "\(file)")
      try (text + "let added = 1\n").write(to: url, atomically: true, encoding: .utf8)
      let found = try Self.makeFormat("--check", in: copy)
      #expect(found.status == 1, "\(file)")
      #expect(
        found.output == "make-format: what is made from Sources/OpTraceFormat is not of these sources: "
          + "run scripts/make-format")
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(try Self.makeFormat("--check", in: copy).status == 0)
  }

  @Test func everyNumberOfTheCompiledTypesIsFoundInTheSources() throws {
    let groups = try FormatNumbers.groups(in: Self.package.appendingPathComponent("Sources/OpTraceFormat"))
    func expect<Kind: CaseIterable & RawRepresentable>(_ type: Kind.Type) throws where Kind.RawValue: BinaryInteger {
      let numbers = try #require(groups["\(type)"], "\(type)")
      #expect(numbers.map(\.name) == type.allCases.map { "\($0)" })
      #expect(numbers.map(\.value) == type.allCases.map { Int($0.rawValue) })
    }
    try expect(EventKind.self)
    try expect(LossReason.self)
    try expect(WaitedObject.self)
    try expect(SleepReason.self)
    try expect(EventSource.self)
    #expect(groups["EventEnd"]?.prefix(EventEnd.allCases.count).map(\.name) == EventEnd.allCases.map { "\($0)" })
    #expect(groups["Header"]?.contains { $0.name == "dynamicChecksum" && $0.value == 1016 } == true)
    #expect(groups["Layout"]?.contains { $0.name == "largestDelta" && $0.value == 0xFF_FFFF } == true)
    #expect(
      groups.keys.sorted().joined(separator: " ").contains(
        "ChunkKind ChunkState Clock EventEnd EventKind EventSource FileState")
    )
  }

  /// A file of a table that has an event more, or none of the old words, is written anew; one that is right is not.
  @Test func aFileThatIsRightIsLeftAlone() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in GeneratedFile.allCases {
      let path = folder.appendingPathComponent(file.rawValue)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Self.package.appendingPathComponent(file.rawValue), to: path)
    }
    // The numbers are read from the sources, of which only one was copied.
    let sum = try Self.makeFormat("--sum").output
    for file in GeneratedFile.allCases where file != .numbers {
      #expect(try !file.update(in: folder, sum: sum), "\(file.rawValue)")
    }
    try Data("old".utf8).write(to: folder.appendingPathComponent(GeneratedFile.traits.rawValue))
    #expect(try GeneratedFile.traits.update(in: folder, sum: sum))
    #expect(try GeneratedFile.traits.current(in: folder) == GeneratedFile.traits.current(in: Self.package))
    #expect(try GeneratedFile.swiftFields.update(in: folder, sum: "1-1"))
    for file in [GeneratedFile.document, .library, .dictionary] {
      try Data("old".utf8).write(to: folder.appendingPathComponent(file.rawValue))
      #expect(throws: GeneratedFile.NoPlace.self, "\(file.rawValue)") { try file.update(in: folder, sum: sum) }
    }
  }

  @Test("the fuzzers' dictionary has the words of all events and fields") func dictionary() throws {
    let words = try GeneratedFile.dictionary.current(in: Self.package).split(separator: "\n")
    for spec in EventSpec.table {
      #expect(words.contains("\"\(spec.name) \""))
      for field in spec.fields {
        #expect(words.contains(field.meaning == .flag ? "\"\(field.name)\"" : "\"\(field.name)=\""))
      }
    }
    #expect(words.count == Set(words).count)
  }
}
