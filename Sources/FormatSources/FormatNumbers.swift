import Foundation
import OpTraceFormat

/// The numbers of `OpTraceFormat` as a C header. Most stand as constants in the sources, which no compiled type lists, so
/// the sources are read.
enum FormatNumbers {
  typealias Number = (name: String, value: Int)

  // MARK: - Reading Swift

  /// The cases and the constants of each type, in their order; only plain numbers that C's `enum` can hold.
  static func groups(in folder: URL) throws -> [String: [Number]] {
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
    // Computed from the table, not written down.
    groups["Layout"]?.insert(("minorVersion", minorVersion), at: 1)
    return groups
  }

  /// From the table, and not `Layout.minorVersion`: that one comes from a file that is made here, so it may be that of
  /// the table before the change.
  static var minorVersion: Int { max(EventSpec.versions.max() ?? 0, Int(Layout.Header.newestVersion)) }
  /// As documents have it: `1.10`.
  static var version: String { "\(Layout.majorVersion).\(minorVersion)" }

  // MARK: - Writing C

  /// For types whose own name would be long, or is already the name of a function.
  private static let prefixes = [
    "EventKind": "kind", "LossReason": "loss", "WaitedObject": "object", "HeldKind": "held", "SleepReason": "sleep",
    "Clock": "file_clock",
    "Mode": "file_mode",
    "Layout": "format",
  ]

  static func c(_ groups: [String: [Number]]) -> String {
    var lines = [
      "// Made from Sources/OpTraceFormat, and not by hand: `make build` makes it anew after a change there.",
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
