#if CLI
  import Foundation

  /// As a shell takes it for one word.
  func quoted(_ path: String) -> String {
    let plain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+,:@%".contains($0) }
    return plain ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }

  /// This command as it was called: before it is installed, its plain name runs nothing.
  var calledCommand: String { quoted(CommandLine.arguments.first ?? "optrace") }
#endif
