/// The short form of a demangled name of C++: without arguments of templates, types of parameters and of the result.
enum CxxName {
  static func short(_ demangled: String) -> String {
    let bytes = Array(demangled.utf8)
    let text = NameText(bytes, hidden: hidden(bytes))
    var name: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      guard text.depths[position] == 0 else {
        // Of an operator.
        name.append(byte)
        position += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "<"): position = text.closing(position, before: bytes.count)
      case UInt8(ascii: "("):
        if text.hasPrefix("(anonymous namespace)", at: position) {
          position += 20
        } else {
          // What follows is part of the name where a local function or a lambda is in a function.
          let end = text.closing(position, before: bytes.count)
          guard let next = text.find("::", in: min(end + 1, bytes.count)..<bytes.count) else {
            return String(decoding: name, as: UTF8.self) + "()"
          }
          name.append(contentsOf: "()".utf8)
          position = next - 1
        }
      // A result's type comes before the name.
      case UInt8(ascii: " "): name = isOperator(name) ? name + [byte] : []
      case UInt8(ascii: ":") where name.isEmpty && text.hasPrefix("::", at: position): position += 1
      default: name.append(byte)
      }
      position += 1
    }
    return String(decoding: name, as: UTF8.self)
  }

  private static func isOperator(_ name: [UInt8]) -> Bool {
    name.suffix(8).elementsEqual("operator".utf8)
  }

  /// The signs of `operator<`, `operator()` and the like.
  private static func hidden(_ bytes: [UInt8]) -> [Range<Int>] {
    let word = Array("operator".utf8)
    var found: [Range<Int>] = []
    for index in bytes.indices where bytes[index] == word[0] && bytes[index...].starts(with: word) {
      let start = index + word.count
      var end = start
      if bytes[start...].starts(with: "()".utf8) {
        end = start + 2
      } else {
        while end < bytes.count, Set("<>=-!|&+*/%^~[],".utf8).contains(bytes[end]), end < start + 3 { end += 1 }
      }
      if start < end { found.append(start..<end) }
    }
    return found
  }
}
