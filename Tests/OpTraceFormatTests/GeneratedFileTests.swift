import Foundation
import OpTraceFormat
import Testing

@testable import FormatSources

/// What is made from the table of events is as `scripts/make-format` makes it.
@Suite struct GeneratedFileTests {
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: GeneratedFile.allCases) func isAsTheTableHasIt(_ file: GeneratedFile) throws {
    let isCurrent = try file.current(in: Self.package) == file.wanted(in: Self.package)
    #expect(isCurrent, "\(file.rawValue) is not what the table of events says: run scripts/make-format")
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
    for file in GeneratedFile.allCases where file != .numbers {
      #expect(try !file.update(in: folder), "\(file.rawValue)")
    }
    try Data("old".utf8).write(to: folder.appendingPathComponent(GeneratedFile.traits.rawValue))
    #expect(try GeneratedFile.traits.update(in: folder))
    #expect(try GeneratedFile.traits.current(in: folder) == GeneratedFile.traits.current(in: Self.package))
    try Data("old".utf8).write(to: folder.appendingPathComponent(GeneratedFile.document.rawValue))
    #expect(throws: GeneratedFile.NoPlace.self) { try GeneratedFile.document.update(in: folder) }
  }
}
