import Foundation
import OpTraceFormat
import Testing

/// The numbers in C are those of `OpTraceFormat`: its sources generate the header. After a change there, run
///
///     OPTRACE_UPDATE_FORMAT=1 swift test --filter OpTraceFormatTests
@Suite("The C header of the format") struct HeaderTests {
  private static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources")
  private static let header = sources.appendingPathComponent("COpTrace/include/COpTraceFormat.h")

  @Test("the C header is up to date") func current() throws {
    let made = Self.text(of: try Self.groups())
    if ProcessInfo.processInfo.environment["OPTRACE_UPDATE_FORMAT"] != nil {
      try made.write(to: Self.header, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      try String(contentsOf: Self.header, encoding: .utf8) == made,
      "the format has changed: run OPTRACE_UPDATE_FORMAT=1 swift test --filter OpTraceFormatTests")
  }

  @Test("every number of the compiled types is found in the sources") func complete() throws {
    let groups = try Self.groups()
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

  // MARK: - Reading Swift

  typealias Number = (name: String, value: Int)

  /// The cases and the constants of each type, in their order; only plain numbers that C's `enum` can hold.
  static func groups() throws -> [String: [Number]] {
    let folder = sources.appendingPathComponent("OpTraceFormat")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    var groups: [String: [Number]] = [:]
    for file in files.sorted() {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      // The types around a line, by how far they are indented.
      var types: [(indent: Int, name: String)] = []
      for line in text.split(separator: "\n") {
        let indent = line.prefix { $0 == " " }.count
        types.removeAll { $0.indent >= indent }
        if let match = line.firstMatch(of: /^ *(?:public|package) enum (\w+)/) {
          types.append((indent, String(match.1)))
        } else if let type = types.last, type.indent == indent - 2,
          let match = line.firstMatch(
            of: /^ *(?:case|(?:public|package) static let) (\w+)(?:: \w+)? = (0x)?([0-9A-Fa-f_]+)(?: .*)?$/),
          let value = Int32(match.3.replacing("_", with: ""), radix: match.2 == nil ? 10 : 16)
        {
          groups[type.name, default: []].append((String(match.1), Int(value)))
        }
      }
    }
    // The minor version is computed from the table, not written down.
    groups["Layout"]?.insert(("minorVersion", Int(Layout.minorVersion)), at: 1)
    return groups
  }

  // MARK: - Writing C

  /// For types whose own name would be long, or is already the name of a function.
  private static let prefixes = [
    "EventKind": "kind", "LossReason": "loss", "WaitedObject": "object", "SleepReason": "sleep", "Clock": "file_clock",
    "Mode": "file_mode",
    "Layout": "format",
  ]

  private static func text(of groups: [String: [Number]]) -> String {
    var lines = [
      "// Made from Sources/OpTraceFormat, and not by hand: after a change there, run",
      "//     OPTRACE_UPDATE_FORMAT=1 swift test --filter OpTraceFormatTests",
      "#ifndef COPTRACE_FORMAT_H", "#define COPTRACE_FORMAT_H",
    ]
    for (type, numbers) in groups.sorted(by: { $0.key < $1.key }) {
      let prefix = "optrace_\(prefixes[type] ?? snake(type))_"
      let isHexadecimal = type == "EventKind"
      lines += ["", "enum {"]
      for number in numbers {
        let digits = String(number.value, radix: isHexadecimal ? 16 : 10, uppercase: true)
        let value = isHexadecimal ? "0x" + (digits.count < 2 ? "0" : "") + digits : digits
        lines.append("  \(prefix)\(snake(number.name)) = \(value),")
      }
      lines.append("};")
    }
    return (lines + ["", "#endif"]).joined(separator: "\n") + "\n"
  }

  static func snake(_ name: String) -> String {
    name.replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased()
  }
}
