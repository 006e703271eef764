import Foundation
import OpTraceFormat
import OpTraceModel

/// A path in the form that a shell takes for one word and a terminal shows safely: control characters are written as
/// bytes (`$'…'`, as in bash, zsh and POSIX 2024).
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

/// The name by which this command was called.
var calledCommand: String { quoted(Words.command) }
