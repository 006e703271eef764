import Foundation

/// The targets of `Package.swift`, parsed from its text: SwiftPM would wait for the SwiftPM that runs the tests.
struct Manifest {
  struct Target {
    enum Kind: String {
      case regular = "target", executable = "executableTarget", test = "testTarget", system = "systemLibrary"
    }
    var kind: Kind
    var name: String
    /// In the order of the file, with products of other packages.
    var dependencies: [String]
    /// Relative to the package's folder.
    var path: String

    /// The name that `import` uses.
    var module: String { name.replacingOccurrences(of: "-", with: "_") }
  }

  /// The package's folder.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private(set) var targets: [Target] = []
  /// The names of what is declared as a `Column`.
  private(set) var columns: [String] = []
  /// The target of each executable product.
  private(set) var programs: [String: String] = [:]

  init() throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent("Package.swift"), encoding: .utf8)
    // Comments may have quotes and brackets.
    let code = text.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: "// ")?.lowerBound ?? $0.endIndex) }
      .joined(separator: "\n")
    // Before them, targets have no names yet.
    guard let start = code.firstRange(of: "let columns = [")?.upperBound else { throw CocoaError(.coderReadCorrupt) }
    var made: [Target] = []
    var libraries: [(column: String, of: String)] = []
    for call in Self.calls(in: code[start...]) {
      let strings = Self.strings(in: call.arguments)
      if call.name == "executable", strings.count == 2 { programs[strings[0]] = strings[1] }
      if call.name == "Column", let name = strings.first {
        columns.append(name)
        made += Self.targets(ofColumn: name, call.arguments)
        libraries += ["optrace-cli", Self.value(of: "of", in: call.arguments)].compactMap { $0.map { (name, $0) } }
      }
      guard let kind = Target.Kind(rawValue: call.name), let name = strings.first else { continue }
      let folder = kind == .test ? "Tests" : "Sources"
      targets.append(
        Target(
          kind: kind, name: name, dependencies: Self.list("dependencies", in: call.arguments) ?? [],
          path: Self.value(of: "path", in: call.arguments) ?? "\(folder)/\(name)"))
    }
    targets += made
    for (column, library) in libraries {
      for index in targets.indices where targets[index].name == library { targets[index].dependencies.append(column) }
    }
  }

  /// The targets that `Column` in `Package.swift` makes.
  private static func targets(ofColumn name: String, _ arguments: Substring) -> [Target] {
    var targets: [Target] = []
    let page = value(of: "page", in: arguments)
    if let page {
      targets.append(Target(kind: .regular, name: page, dependencies: [], path: "Sources/\(name)/Embedded"))
    }
    let dependencies = (page.map { [$0] } ?? []) + (list("on", in: arguments) ?? [])
    targets.append(Target(kind: .regular, name: name, dependencies: dependencies, path: "Sources/\(name)"))
    if let tests = list("tests", in: arguments) {
      targets.append(
        Target(
          kind: .test, name: "\(name)Tests", dependencies: ["TestSupport", name] + tests, path: "Tests/\(name)Tests"))
    }
    return targets
  }

  subscript(name: String) -> Target? { targets.first { $0.name == name } }

  private struct Call {
    var name: String
    var arguments: Substring
  }

  /// The calls that declare columns, targets and products. Calls inside their arguments are skipped.
  private static func calls(in code: Substring) -> [Call] {
    let names = #/(?:\.(target|executableTarget|testTarget|systemLibrary|executable)|\b(Column))\(/#
    var calls: [Call] = []
    var rest = code
    while let match = rest.firstMatch(of: names) {
      let arguments = enclosed("(", ")", in: rest[match.range.upperBound...])
      calls.append(Call(name: String(match.1 ?? match.2 ?? ""), arguments: arguments))
      rest = rest[arguments.endIndex...]
    }
    return calls
  }

  /// The text before the closing bracket.
  private static func enclosed(_ open: Character, _ close: Character, in text: Substring) -> Substring {
    var depth = 1
    for index in text.indices {
      if text[index] == open { depth += 1 }
      if text[index] == close { depth -= 1 }
      if depth == 0 { return text[..<index] }
    }
    return text
  }

  /// The strings in the list that is the argument `label`.
  private static func list(_ label: String, in arguments: Substring) -> [String]? {
    guard let start = arguments.firstRange(of: " \(label): [")?.upperBound else { return nil }
    var list = String(enclosed("[", "]", in: arguments[start...]))
    // A product is named by itself, without its package.
    list.replace(#/package: "[^"]*"/#, with: "")
    return strings(in: list[...])
  }

  private static func value(of label: String, in arguments: Substring) -> String? {
    guard let range = arguments.firstRange(of: "\(label): \"") else { return nil }
    return String(arguments[range.upperBound...].prefix { $0 != "\"" })
  }

  private static func strings(in text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { !$0.offset.isMultiple(of: 2) }
      .map { String($0.element) }
  }
}
