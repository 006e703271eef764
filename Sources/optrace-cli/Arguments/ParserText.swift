import Foundation

/// Adapts the argument parser's texts to the style of the command: errors like its own, and no line too wide.
enum ParserText {
  private static let width = 80

  /// A help text, or the usage after an error, with long lines broken: usage lines between their parts, lines about one
  /// argument between words.
  static func withUsageLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if let help = line.prefixMatch(of: /Help:[ ]{2}(?:[^ ]|, )+[ ]{2}/)?.output {
        return wrapped(line.dropFirst(help.count).split(separator: " "), behind: String(help.dropLast()))
      }
      guard let head = ["USAGE: ", "Usage: "].first(where: line.hasPrefix), line.count > width else {
        return String(line)
      }
      return brokenUsage(line.dropFirst(head.count), head)
    }.joined(separator: "\n")
  }

  /// Puts the command's name before the parts, on a line of its own.
  private static func brokenUsage(_ line: Substring, _ head: String) -> String {
    var parts: [String] = []
    var depth = 0
    for word in line.split(separator: " ") {
      if depth > 0 || !parts.isEmpty && !word.hasPrefix("[") && !word.hasPrefix("<") {
        parts[parts.count - 1] += " " + word
      } else {
        parts.append(String(word))
      }
      depth += word.filter { $0 == "[" }.count - word.filter { $0 == "]" }.count
    }
    guard let name = parts.first else { return head }
    return wrapped(parts.dropFirst(), behind: head + name)
  }

  private static func wrapped(_ parts: some Sequence<some StringProtocol>, behind head: String) -> String {
    let indent = String(repeating: " ", count: head.count)
    var lines = [head]
    for part in parts {
      if lines[lines.count - 1].count + 1 + part.count > width { lines.append(indent) }
      lines[lines.count - 1] += " " + part
    }
    return lines.joined(separator: "\n")
  }

  /// The parser says "Error: Missing …". Our errors begin with the command's name and a lower-case letter, and a single
  /// sentence has no full stop. Line ends in repeated arguments are removed.
  static func error(_ text: String) -> String {
    var text = text
    let words = Words.arguments.flatMap { [$0] + $0.split(separator: "=").map(String.init) }
    for word in words where word.contains(where: \.isNewline) {
      text = text.replacingOccurrences(of: word, with: printable(word))
    }
    let prefix = "Error: "
    guard text.hasPrefix(prefix) else { return withUsageLines(text) }
    var lines = text.dropFirst(prefix.count).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var first = lines[0]
    if first.hasSuffix("."), !first.dropLast().contains(". ") { first.removeLast() }
    if let letter = first.first, letter.isUppercase { first = letter.lowercased() + first.dropFirst() }
    lines[0] = "optrace: " + first
    return withUsageLines(lines.joined(separator: "\n"))
  }
}
