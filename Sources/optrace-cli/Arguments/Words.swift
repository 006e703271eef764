import Foundation
import OpTraceFormat
import OpTraceModel

/// The words with which the command was called. Names of files may not be UTF-8; they are in the form of ``RawPath``.
enum Words {
  static let all: [String] = (0..<Int(CommandLine.argc)).compactMap { index in
    CommandLine.unsafeArgv[index].map { RawPath.text($0) }
  }

  /// The command's own name. Before it is installed, its plain name would run nothing.
  static var command: String { all.first ?? "optrace" }
  static var arguments: [String] { Array(all.dropFirst()) }
}
