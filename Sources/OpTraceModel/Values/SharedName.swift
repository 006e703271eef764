/// The names in the short name of a function. There are several if functions share their code:
/// `one of load(), store()`.
package struct SharedName: Equatable, Sendable {
  /// At least one.
  package var names: [String]
  /// Whether these are all names.
  package var isWhole = true

  /// The prefix of the short name of code that several functions share.
  package static let several = "one of "
  private static let isOpen = " (or one merged with them)"

  /// O(length).
  package init(_ shortName: String) {
    guard shortName.hasPrefix(Self.several) else {
      names = [shortName]
      return
    }
    var list = shortName.dropFirst(Self.several.count)
    if list.hasSuffix(Self.isOpen) {
      list = list.dropLast(Self.isOpen.count)
      isWhole = false
    }
    // " and 12 more"
    let words = list.split(separator: " ", omittingEmptySubsequences: false).suffix(3)
    if words.count == 3, words.first == "and", words.last == "more", let number = words.dropFirst().first,
      Int(number) != nil
    {
      list = list[..<words[words.startIndex].startIndex]
      if list.last == " " { list.removeLast() }
      isWhole = false
    }
    names = Self.parts(list)
  }

  /// Splits at commas that are in no brackets.
  private static func parts(_ list: Substring) -> [String] {
    var parts: [String] = []
    var depth = 0
    var part = ""
    for character in list {
      switch character {
      case "(", "[", "<": depth += 1
      case ")", "]", ">": depth -= 1
      case "," where depth <= 0:
        parts.append(part)
        part = ""
        continue
      default: break
      }
      if character != " " || !part.isEmpty { part.append(character) }
    }
    return parts + [part]
  }

  /// The names without a prefix that all of them have; nil: one of them does not have it.
  package func without(prefix: String) -> SharedName? {
    guard names.allSatisfy({ $0.hasPrefix(prefix) }) else { return nil }
    var result = self
    result.names = names.map { String($0.dropFirst(prefix.count)) }
    return result
  }

  /// The names without a suffix that all of them have; nil: one of them does not have it.
  package func without(suffix: String) -> SharedName? {
    guard names.allSatisfy({ $0.hasSuffix(suffix) }) else { return nil }
    var result = self
    result.names = names.map { String($0.dropLast(suffix.count)) }
    return result
  }
}
