import Foundation
import OpTraceFormat
import OpTraceModel

/// What the command was called with. Names of files may be no UTF-8: they stand as ``RawPath`` has them.
enum Words {
  static let all: [String] = (0..<Int(CommandLine.argc)).compactMap { index in
    CommandLine.unsafeArgv[index].map { RawPath.text($0) }
  }

  /// The command's own name; before it is installed, its plain name runs nothing.
  static var command: String { all.first ?? "optrace" }
  static var arguments: [String] { Array(all.dropFirst()) }
}
