import Foundation
import OpTraceFormat
import OpTraceModel

/// As a shell takes it for one word, and as a terminal shows it: what would steer it is written by its bytes (`$'…'`, as
/// in bash, zsh and POSIX of 2024).
func quoted(_ path: String) -> String {
  guard printable(path) == path else {
    return "$'" + path.unicodeScalars.map(escaped).joined() + "'"
  }
  let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+,:@%".contains($0) }
  return isPlain && !path.isEmpty ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
  let text = String(scalar)
  guard printable(text) != text else { return text }
  return RawPath.bytes(of: text).map { "\\" + String(Int($0) + 0o1000, radix: 8).dropFirst() }.joined()
}

/// This command as it was called.
var calledCommand: String { quoted(Words.command) }
