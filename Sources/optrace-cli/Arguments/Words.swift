import Foundation
import OpTraceFormat
import OpTraceModel

/// The words with which the command was called.
enum Words {
  /// The command's own name. Before it is installed, its plain name would run nothing.
  static var command: String { Call.current.words.first ?? "optrace" }
  static var arguments: [String] { Array(Call.current.words.dropFirst()) }
}
