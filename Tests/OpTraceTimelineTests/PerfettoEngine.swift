import Foundation
import TestSupport
import Testing

/// Perfetto's own trace processor, run by node. Its answers are what the viewer shows.
enum PerfettoEngine {
  struct Answer: Decodable {
    struct Problem: Decodable {
      var name: String
      var value: Int
    }
    /// Why the file was not loaded.
    var error: String?
    var problems: [Problem]
    var results: [[[String: Cell]]]
  }

  enum Cell: Decodable, Equatable {
    case integer(Int)
    case double(Double)
    case text(String)
    case null

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let integer = try? value.decode(Int.self) {
        self = .integer(integer)
      } else if let double = try? value.decode(Double.self) {
        self = .double(double)
      } else {
        self = .text(try value.decode(String.self))
      }
    }

    var integer: Int? {
      if case .integer(let value) = self { value } else { nil }
    }
    var text: String? {
      if case .text(let value) = self { value } else { nil }
    }
  }

  struct NotSetUp: Error, CustomStringConvertible {
    var details: String
    var description: String {
      "Perfetto's trace processor did not run: \(details) Run `make test` (or scripts/setup-perfetto) once, "
        + "or set OPTRACE_SKIP_PERFETTO=1 to leave these tests out."
    }
  }

  /// The checks are skipped only on request. A missing engine fails them.
  static var isWanted: Bool { ProcessInfo.processInfo.environment["OPTRACE_SKIP_PERFETTO"] != "1" }

  /// Loads the bytes as a file with this ending, and runs the queries.
  static func load(_ bytes: [UInt8], ending: String = "json", _ queries: String...) throws -> Answer {
    try #require(try load([(bytes, ending)], queries).first)
  }

  /// The same for many files, with one start of the engine.
  static func load(_ files: [(bytes: [UInt8], ending: String)], _ queries: [String]) throws -> [Answer] {
    let scratch = try Scratch()
    let paths = try files.indices.map { try scratch.write("\($0)." + files[$0].ending, files[$0].bytes) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let result = try RunningProgram.run(
      package.appendingPathComponent("scripts/perfetto-query"), paths + ["--"] + queries)
    let answer = Data(result.output.utf8)
    if answer.isEmpty { throw NotSetUp(details: result.errors) }
    return try JSONDecoder().decode([Answer].self, from: answer)
  }
}
