import OpTraceFormat

/// Generates the accessors of fields, in Swift and in C, from ``EventSpec/table``.
enum FieldSources {
  static let note = ["// Made from EventSpec.table, and not by hand: `make build` makes it anew after a change there."]

  private static var specs: [EventSpec] { EventSpec.table.filter { !$0.fields.isEmpty } }

  // MARK: - Swift

  /// `sum`: the checksum of what all files are made from, by which `scripts/make-format` sees that they are current.
  static func swift(sum: String) -> String {
    var lines =
      note + [
        "// Made from sources with the checksum \(sum).", "// swift-format-ignore-file", "",
        "/// The fields of each kind of event that has some: read from the words of a record, and put into them. What does not fit a",
        "/// field is cut off; a field narrower than its type has its largest value beside it.",
        "package enum EventFields {",
        "  /// The minor version of the format that brought the newest kind or field.",
        "  @inlinable package static var newestVersion: UInt16 { \(EventSpec.versions.max() ?? 0) }",
        "",
      ]
    for spec in specs { lines += swift(spec).map { $0.isEmpty ? "" : "  " + $0 } + [""] }
    lines.removeLast()
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func swift(_ spec: EventSpec) -> [String] {
    let type = "\(spec.kind)".prefix(1).uppercased() + "\(spec.kind)".dropFirst()
    var lines = [
      "/// `\(spec.name)`",
      "package struct \(type): EventWords {", "  @inlinable package static var kind: EventKind { .\(spec.kind) }",
      "  package let word1: UInt64", "  package let word2: UInt64", "",
      "  @inlinable @inline(__always)", "  package init(_ word1: UInt64, _ word2: UInt64 = 0) {",
      "    self.word1 = word1", "    self.word2 = word2", "  }", "",
    ]
    let parameters = spec.fields.map { "\(camel($0.name)): \(swiftType($0))" }.joined(separator: ", ")
    lines += ["  @inlinable @inline(__always)", "  package init(\(parameters)) {"]
    for word in 1...2 {
      let parts = spec.fields.filter { $0.word == word }.map(swiftBits)
      lines += wrapped(
        "    word\(word) = ", parts.isEmpty ? ["0"] : parts, " | ", breakingBefore: true, indent: "      ")
    }
    lines += ["  }", ""]
    if spec.text != nil {
      lines.append("  /// The half of the second word that holds fields; the other holds lengths.")
      lines.append("  @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }")
    }
    for field in spec.fields {
      let (name, type) = (escaped(camel(field.name)), swiftType(field))
      lines.append("  @inlinable package var \(name): \(type) { \(swiftValue(field)) }")
      if let largest = largest(field) {
        let name = camel("largest-" + field.name)
        lines.append("  @inlinable package static var \(name): \(type) { \(hexadecimal(largest)) }")
      }
    }
    return lines + ["}"]
  }

  private static func swiftBits(_ field: EventSpec.Field) -> String {
    let name = escaped(camel(field.name))
    let shift = field.shift == 0 ? "" : " << \(field.shift)"
    guard !isFlag(field) else { return "(\(name) ? 1\(shift) : 0)" }
    let type = swiftType(field)
    let value =
      switch type {
      case "UInt64": name
      case _ where field.isSigned: "UInt64(UInt\(bits(of: field))(bitPattern: \(name)))"
      default: "UInt64(\(name))"
      }
    guard field.width < bits(of: field) else { return value + shift }
    return shift.isEmpty ? "\(value) & \(mask(field))" : "(\(value) & \(mask(field)))\(shift)"
  }

  private static func swiftValue(_ field: EventSpec.Field) -> String {
    let word = "word\(field.word)"
    let shifted = field.shift == 0 ? word : "\(word) >> \(field.shift)"
    let isWhole = field.width == bits(of: field)
    if isFlag(field) { return "\(shifted) & 1 != 0" }
    if field.isSigned {
      if field.width == 64 { return "Int64(bitPattern: \(word))" }
      if isWhole { return "\(swiftType(field))(truncatingIfNeeded: \(shifted))" }
      // The highest bit of the field is its sign.
      let left = 64 - field.shift - field.width
      return "\(swiftType(field))(truncatingIfNeeded: Int64(bitPattern: \(word) << \(left)) >> \(64 - field.width))"
    }
    let reachesTop = field.shift + field.width == 64
    let masked = isWhole || reachesTop ? shifted : "\(shifted) & \(mask(field))"
    return swiftType(field) == "UInt64" ? masked : "\(swiftType(field))(truncatingIfNeeded: \(masked))"
  }

  private static func swiftType(_ field: EventSpec.Field) -> String {
    isFlag(field) ? "Bool" : "\(field.isSigned ? "Int" : "UInt")\(bits(of: field))"
  }

  private static let keywords: Set<String> = [
    "as", "case", "catch", "class", "default", "defer", "do", "else", "enum", "for", "func", "if", "in", "init", "is",
    "let", "protocol", "repeat", "return", "self", "static", "struct", "switch", "throw", "try", "var", "where",
    "while",
  ]

  private static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  private static func camel(_ name: String) -> String {
    let parts = name.split(separator: "-")
    return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  // MARK: - C

  static var c: String {
    var lines =
      note + [
        "// The fields of each kind of event that has some: put into the second and third word of a record, and read from them. What does",
        "// not fit a field is cut off; a field narrower than its type has its largest value beside it.",
        "#ifndef COPTRACE_FIELDS_H", "#define COPTRACE_FIELDS_H", "", "#include <stdbool.h>", "#include <stdint.h>",
      ]
    for spec in specs { lines += [""] + c(spec) }
    return (lines + ["", "#endif"]).joined(separator: "\n") + "\n"
  }

  private static func c(_ spec: EventSpec) -> [String] {
    let prefix = "optrace_\(FormatNumbers.snake("\(spec.kind)"))"
    var lines = ["// `\(spec.name)`", "typedef struct {"]
    lines += spec.fields.map { "  \(cType($0)) \(cName($0));" }
    lines.append("} \(prefix)_fields;")
    for field in spec.fields {
      guard let largest = largest(field) else { continue }
      // Not every compiler accepts an enumerator that does not fit an `int`.
      let name = "\(prefix)_largest_\(snake(field.name))"
      let value = hexadecimal(largest).filter { $0 != "_" }
      lines.append(
        field.width < 32 ? "enum { \(name) = \(value) };" : "static const uint64_t \(name) = \(value)u;")
    }
    for word in 1...2 {
      let parts = spec.fields.filter { $0.word == word }.map(cBits)
      guard !parts.isEmpty else { continue }
      lines.append("static inline uint64_t \(prefix)_word\(word)(\(prefix)_fields fields) {")
      lines += wrapped("  return ", parts, " | ", indent: "         ")
      lines[lines.count - 1] += ";"
      lines.append("}")
    }
    if spec.text != nil, spec.fields.contains(where: { $0.word == 1 }) {
      lines.append("// The half of that word that holds fields; the other holds lengths.")
      lines.append("static inline uint32_t \(prefix)_high(\(prefix)_fields fields) {")
      lines += ["  return (uint32_t)(\(prefix)_word1(fields) >> 32);", "}"]
    }
    let words = (1...2).filter { word in spec.fields.contains { $0.word == word } }
    let parameters = words.map { "uint64_t word\($0)" }.joined(separator: ", ")
    lines.append("static inline \(prefix)_fields \(prefix)_read(\(parameters)) {")
    lines += wrapped(
      "  return (\(prefix)_fields){", spec.fields.map { ".\(cName($0)) = \(cValue($0))" }, ", ", indent: "    ")
    lines[lines.count - 1] += "};"
    return lines + ["}"]
  }

  private static func cBits(_ field: EventSpec.Field) -> String {
    let name = "fields.\(cName(field))"
    let value: String
    if isFlag(field) {
      value = "(uint64_t)\(name)"
    } else if field.isSigned {
      value = field.width == 64 ? "(uint64_t)\(name)" : "(uint64_t)(uint\(bits(of: field))_t)\(name)"
    } else {
      value = bits(of: field) == 64 ? name : "(uint64_t)\(name)"
    }
    let mask = field.width < bits(of: field) && !isFlag(field) ? " & \(cMask(field))" : ""
    let shift = field.shift == 0 ? "" : " << \(field.shift)"
    return mask.isEmpty ? value + shift : "(\(value)\(mask))\(shift)"
  }

  private static func cValue(_ field: EventSpec.Field) -> String {
    let word = "word\(field.word)"
    let shifted = field.shift == 0 ? word : "\(word) >> \(field.shift)"
    if isFlag(field) { return "\(shifted) & 1" }
    let isWhole = field.width == bits(of: field)
    if field.isSigned, !isWhole {
      return "(\(cType(field)))((int64_t)(\(word) << \(64 - field.shift - field.width)) >> \(64 - field.width))"
    }
    let masked = isWhole || field.shift + field.width == 64 ? shifted : "\(shifted) & \(cMask(field))"
    return cType(field) == "uint64_t" ? masked : "(\(cType(field)))(\(masked))"
  }

  private static func cMask(_ field: EventSpec.Field) -> String { mask(field).filter { $0 != "_" } + "u" }

  private static func cType(_ field: EventSpec.Field) -> String {
    isFlag(field) ? "bool" : "\(field.isSigned ? "" : "u")int\(bits(of: field))_t"
  }

  /// Keywords of C, and of C++, which may include the header.
  private static let words: Set<String> = [
    "auto", "case", "char", "class", "default", "do", "double", "else", "enum", "export", "extern", "float", "for",
    "goto",
    "if", "inline", "int", "long", "new", "register", "return", "short", "signed", "static", "struct", "switch", "this",
    "try", "typedef", "union", "unsigned", "void", "while",
  ]

  private static func cName(_ field: EventSpec.Field) -> String {
    let name = snake(field.name)
    return words.contains(name) ? name + "_" : name
  }

  private static func snake(_ name: String) -> String { name.replacing("-", with: "_") }

  // MARK: - Both

  /// The bits of the field's type. Numbers that name something have 32, as everywhere else.
  private static func bits(of field: EventSpec.Field) -> Int {
    switch field.meaning {
    case .operation, .queue, .dispatch, .thread, .systemThread, .string, .frame, .image, .allocation: 32
    case .age, .address, .lock: 64
    case .unsigned, .signed, .objectKind: [8, 16, 32].first { field.width <= $0 } ?? 64
    case .flag: 1
    }
  }

  private static func isFlag(_ field: EventSpec.Field) -> Bool { field.meaning == .flag }

  private static func mask(_ field: EventSpec.Field) -> String { hexadecimal((1 << UInt64(field.width)) - 1) }

  /// Nil if it is the largest value of the type.
  private static func largest(_ field: EventSpec.Field) -> UInt64? {
    guard !isFlag(field), field.width < bits(of: field) else { return nil }
    return (1 << UInt64(field.width - (field.isSigned ? 1 : 0))) - 1
  }

  /// The parts behind `start`, on as many lines as they take.
  private static func wrapped(
    _ start: String, _ parts: [String], _ separator: String, breakingBefore: Bool = false, indent: String
  ) -> [String] {
    var lines = [start]
    for (index, part) in parts.enumerated() {
      let text = (index == 0 ? "" : separator) + part
      if index > 0, lines[lines.count - 1].count + text.count > 120 {
        if breakingBefore {
          lines.append(indent + separator.drop { $0 == " " } + part)
        } else {
          lines[lines.count - 1] += separator.dropLast()
          lines.append(indent + part)
        }
      } else {
        lines[lines.count - 1] += text
      }
    }
    return lines
  }

  /// `0xF_FFFF`
  private static func hexadecimal(_ value: UInt64) -> String {
    var digits = String(value, radix: 16, uppercase: true)
    var groups: [Substring] = []
    while digits.count > 4 {
      groups.insert(digits.suffix(4), at: 0)
      digits = String(digits.dropLast(4))
    }
    return "0x" + ([digits[...]] + groups).joined(separator: "_")
  }
}
