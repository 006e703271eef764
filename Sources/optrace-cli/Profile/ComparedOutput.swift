import ArgumentParser
import OpTraceProfile

/// The files that a command writes beside text and JSON.
protocol WrittenFormats {
  static var formats: [ProfileFormat] { get }
  /// What their names end with, and what they are for.
  static var help: String { get }
}

/// What an analysis of samples is compared with, and how it is written.
struct ComparedOutput<Formats: WrittenFormats>: ParsableArguments {
  @Option(
    help: ArgumentHelp("Show what changed since this trace.", valueName: "trace"),
    completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var compare: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Rows of each table (default: 20); JSON has all without it.", valueName: "n"))
  var top: Int?

  @Flag(help: "Write JSON, as into a file whose name ends with .json; Documentation/json.md describes its keys.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write; '-' is standard output, and the default. \(Formats.help)", valueName: "file"),
    completion: .file(extensions: ProfileTarget.completedEndings(of: Formats.formats)))
  var output: String?

  /// Rows of each table of text.
  var rows: Int { top ?? 20 }

  var target: ProfileTarget { json ? .json : ProfileTarget(writing: output, of: Formats.formats) }

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be at least 1.") }
    guard let output, case .file(let format) = ProfileTarget(writing: output, of: Formats.formats) else { return }
    if json { throw ValidationError("--json and '\(printable(output))' cannot be combined.") }
    if compare != nil, !format.showsDifference {
      throw ValidationError("'\(printable(output))' has room for one run: omit --compare, or name a .svg or .json.")
    }
  }

  /// Fails if standard input would be read twice.
  func check(_ trace: String?) throws {
    if compare == "-", trace == "-" {
      throw ValidationError("'-' is named twice: standard input can be read once.")
    }
  }
}
