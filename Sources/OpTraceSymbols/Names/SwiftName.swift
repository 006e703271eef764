/// Makes the short form of a Swift name out of what the runtime's demangler says of it, which is one line of text such as
///
///     partial apply forwarder for closure #1 @Sendable () -> () in app.loadUsers(Swift.Int) -> Foundation.Operation
///
/// Nothing here fails: what is not understood stays as it is.
struct SwiftName {
  private let text: NameText

  init(_ demangled: String) {
    let bytes = Array(demangled.utf8)
    text = NameText(bytes, hidden: Self.hidden(bytes))
  }

  /// - Complexity: O(length), and once more for each level of closures.
  func short() -> String {
    var range = 0..<text.bytes.count
    if let suffix = text.find(" with unmangled suffix ", in: range) { range = range.lowerBound..<suffix }
    // The compiler kept one body for functions that do the same: which of them called it is not known.
    if text.hasPrefix("merged ", at: range.lowerBound) { return name(range) + " (or one merged with it)" }
    return name(range)
  }

  /// What the compiler made for a type or a function, without that: `outlined copy`; nil: it is a function of the source, or leads
  /// to one.
  func helper() -> String? {
    let range = withoutAdditions(0..<text.bytes.count)
    if text.hasPrefix("reabstraction thunk", at: range.lowerBound) { return "reabstraction thunk" }
    guard !text.hasPrefix("protocol witness for ", at: range.lowerBound), !isLocal(range),
      !(["default argument ", "variable initialization "] as [StaticString]).contains(where: {
        text.hasPrefix($0, at: range.lowerBound)
      })
    else { return nil }
    guard let words = phrase(range)?.words else { return nil }
    // There are a dozen for each type.
    return words.hasSuffix(Self.witness) ? Self.witness : words
  }

  private static let witness = "value witness"

  private func name(_ whole: Range<Int>) -> String {
    let range = withoutAdditions(whole)
    if text.hasPrefix("reabstraction thunk", at: range.lowerBound) {
      return "reabstraction thunk"
    }
    if text.hasPrefix("protocol witness for ", at: range.lowerBound) { return witness(range) }
    return chain(range)
  }

  // MARK: - What the compiler adds

  /// Words before the name of a function that was copied, cut into pieces, or is reached another way.
  private static let pieces: [StaticString] = [
    "merged ", "specialized ", "@objc ", "@nonobjc ", "dynamic ", "partial apply forwarder for ",
    "partial apply ObjC forwarder for ", "dispatch thunk of ", "async function pointer to ", "vtable thunk for ",
    "curry thunk of ", "override thunk for ", "back deployment thunk for ", "back deployment fallback for ",
    "distributed thunk ", "distributed accessor for ", "method lookup function for ", "super dispatch thunk of ",
    "default associated conformance accessor for ",
  ]

  private static let specializations: [StaticString] = [
    "generic specialization <", "generic not re-abstracted specialization <", "generic partial specialization <",
    "generic pre-specialization <", "function signature specialization <", "inlined generic function <",
    "closure argument specialization <",
  ]

  private func withoutAdditions(_ whole: Range<Int>) -> Range<Int> {
    var range = whole
    while let next = withoutAddition(range) { range = next }
    return range
  }

  private func withoutAddition(_ range: Range<Int>) -> Range<Int>? {
    let start = range.lowerBound
    for word in Self.pieces where text.hasPrefix(word, at: start) {
      return start + word.utf8CodeUnitCount..<range.upperBound
    }
    for word in Self.specializations where text.hasPrefix(word, at: start) {
      let end = text.closing(start + word.utf8CodeUnitCount - 1, before: range.upperBound)
      return text.hasPrefix("> of ", at: end) ? end + 5..<range.upperBound : nil
    }
    // "(3) suspend resume partial function for "
    guard text.hasPrefix("(", at: start) else { return nil }
    let end = text.closing(start, before: range.upperBound)
    for word in [") suspend resume partial function for ", ") await resume partial function for "] as [StaticString]
    where text.hasPrefix(word, at: end) {
      return end + word.utf8CodeUnitCount..<range.upperBound
    }
    return nil
  }

  /// `protocol witness for M.P.run() -> () in conformance M.Loader : M.P in M`: the function is the type's.
  private func witness(_ range: Range<Int>) -> String {
    let start = range.lowerBound + 21
    guard let conformance = text.find(" in conformance ", in: start..<range.upperBound) else {
      return chain(start..<range.upperBound)
    }
    var member = declaration(start..<conformance)
    let type = declaration(conformance + 16..<range.upperBound)
    // The protocol's own path goes, and the type's comes.
    var owners = 1
    if let colon = text.find(" : ", in: conformance + 16..<range.upperBound) {
      owners = max(declaration(colon + 3..<range.upperBound).parts.count, 1)
    }
    if member.parts.count > owners { member.parts.removeFirst(owners) }
    member.parts = type.parts + member.parts
    return member.text
  }

  // MARK: - Closures and what they are in

  /// `closure #1 … in closure #2 … in f()`.
  private func chain(_ whole: Range<Int>) -> String {
    var range = whole
    var said: [String] = []
    while said.count < 64 {
      let isLocal = self.isLocal(range)
      let end = isLocal ? text.find(" in ", in: range) ?? range.upperBound : range.upperBound
      said.append(part(range.lowerBound..<end))
      guard isLocal, end + 4 <= range.upperBound else { break }
      range = withoutAdditions(end + 4..<range.upperBound)
    }
    return said.joined(separator: " in ")
  }

  /// A closure or a function in a function: it has a number, before any type is named.
  private func isLocal(_ range: Range<Int>) -> Bool {
    guard let number = text.find(" #", in: range) else { return false }
    let stop = text.find("(", in: range) ?? range.upperBound
    return number < stop || text.hasPrefix("(", at: range.lowerBound)
  }

  private func part(_ range: Range<Int>) -> String {
    for word in ["closure #", "implicit closure #", "autoclosure #"] as [StaticString]
    where text.hasPrefix(word, at: range.lowerBound) {
      let digits = range.lowerBound + word.utf8CodeUnitCount
      let end = text.bytes[digits..<range.upperBound].prefix { (48...57).contains($0) }.endIndex
      return text.string(range.lowerBound..<end)
    }
    guard let (words, link, rest) = phrase(range) else { return named(range) }
    let name = named(rest)
    return name.isEmpty ? words : words + link + name
  }

  /// `outlined copy of M.Box`, `default argument 0 of M.f(x: Swift.Int)`: words before a type or a function.
  private func phrase(_ range: Range<Int>) -> (words: String, link: String, rest: Range<Int>)? {
    guard let first = text.bytes[range].first, (97...122).contains(first) || first == UInt8(ascii: "$") else {
      return nil
    }
    let limit = text.find("(", in: range) ?? range.upperBound
    let head = range.lowerBound..<limit
    let positions = [text.find(" of ", in: head).map { ($0, 4) }, text.find(" for ", in: head).map { ($0, 5) }]
    guard let (position, size) = positions.compactMap({ $0 }).min(by: { $0.0 < $1.0 }) else { return nil }
    let words = text.string(range.lowerBound..<position)
    // No name of the source has a blank in it, but for those in backticks, which are hidden.
    var rest = position + size..<range.upperBound
    let link = text.string(position..<position + size)
    if text.hasPrefix("type ", at: rest.lowerBound) { rest = rest.lowerBound + 5..<rest.upperBound }
    return (words, link, rest)
  }

  private func named(_ range: Range<Int>) -> String { declaration(range).text }

  /// Bytes that look like brackets and are none: of operators, of what is in backticks, and one that the demangler never closes.
  private static func hidden(_ bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var tick: Int?
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "`") {
        if let start = tick { found.append(start..<index + 1) }
        tick = tick == nil ? index : nil
      }
      if tick == nil, byte == UInt8(ascii: "["), bytes[index...].starts(with: "[Closure Propagated".utf8) {
        found.append(index..<index + 1)
      }
      guard tick == nil, byte == UInt8(ascii: " "),
        [" infix(", " prefix(", " postfix(", " infix<", " prefix<", " postfix<"].contains(where: {
          bytes[index...].starts(with: $0.utf8)
        })
      else { continue }
      var start = index
      while start > 0, operators.contains(bytes[start - 1]) { start -= 1 }
      // The first dot ends the type's path. An operator with dots begins with one.
      if let dot = bytes[start..<index].firstIndex(of: UInt8(ascii: ".")) { start = dot + 1 }
      if start < index { found.append(start..<index) }
    }
    return found
  }

  private static let operators = Set("/=-+!*%<>&|^~?.".utf8)

  // MARK: - A declaration

  private struct Declaration {
    var isStatic = false
    var parts: [String] = []
    var text: String { (isStatic ? "static " : "") + parts.joined(separator: ".") }
  }

  /// `static M.Loader.run<A>(_: A, by: Swift.Int) -> ()` as [Loader, run(_:by:)].
  private func declaration(_ range: Range<Int>) -> Declaration {
    var result = Declaration()
    var position = range.lowerBound
    if text.hasPrefix("static ", at: position) {
      result.isStatic = true
      position += 7
    }
    var name = ""
    var start = position
    var hasModule = true
    func take(to end: Int) { if start < end { name += text.string(start..<end) } }
    func finish() {
      if !name.isEmpty { result.parts.append(Self.readable(name)) }
      name = ""
    }
    let base = position < range.upperBound ? text.depths[position] : 0
    scan: while position < range.upperBound {
      guard text.depths[position] == base else {
        position += 1
        continue
      }
      switch text.bytes[position] {
      case UInt8(ascii: "."):
        take(to: position)
        finish()
        start = position + 1
      case UInt8(ascii: "<"):
        take(to: position)
        position = text.closing(position, before: range.upperBound)
        start = position + 1
      case UInt8(ascii: "("):
        take(to: position)
        let end = text.closing(position, before: range.upperBound)
        if !name.isEmpty {
          name += labels(position + 1..<end)
          start = range.upperBound
          break scan
        }
        // "(extension in M):", "(name in _1234)", or a type without a name: "(Swift.Int, Any)".
        let inside = position + 1..<end
        if !text.hasPrefix("(extension in ", at: position), let discriminator = text.find(" in ", in: inside) {
          name = text.string(inside.lowerBound..<discriminator)
        }
        position = text.hasPrefix("):", at: end) ? end + 1 : end
        start = position + 1
      case UInt8(ascii: " "):
        take(to: position)
        start = range.upperBound
        if text.hasPrefix(" #", at: position) {
          // A function in a function has no module before it.
          hasModule = false
          let digits = text.bytes[(position + 2)..<range.upperBound].prefix { (48...57).contains($0) }
          // "inner #1 (Swift.Int)", and "inner #1 <A>(A)".
          position = digits.endIndex
          // "work #1 @Sendable (Swift.Int)"
          while text.hasPrefix(" @", at: position) {
            position =
              text.bytes[(position + 2)..<range.upperBound].firstIndex(of: UInt8(ascii: " ")) ?? range.upperBound
          }
          if !text.hasPrefix(" ", at: position) { position -= 1 }
          start = position + 1
        } else if let word = ([" infix", " prefix", " postfix"] as [StaticString]).first(where: {
          text.hasPrefix($0, at: position)
        }) {
          position += word.utf8CodeUnitCount - 1
          start = position + 1
        } else {
          break scan
        }
      default: break
      }
      position += 1
    }
    take(to: min(position, range.upperBound))
    finish()
    if hasModule, result.parts.count > 1 { result.parts.removeFirst() }
    return result
  }

  private static func readable(_ name: String) -> String {
    if name.hasPrefix("__allocating_init") { return String(name.dropFirst(13)) }
    if name == "__deallocating_deinit" || name == "__isolated_deallocating_deinit" { return "deinit" }
    if name.hasPrefix("$defer") { return "defer" }
    // What calls a type's `main`, and what compares where the source leaves it to the compiler.
    if name == "$main()" { return "main()" }
    for equals in ["__derived_enum_equals", "__derived_struct_equals"] where name.hasPrefix(equals) {
      return "==" + name.dropFirst(equals.utf8.count)
    }
    return name
  }

  /// `x: Swift.Int, (A) -> B` as `(x:_:)`.
  private func labels(_ range: Range<Int>) -> String {
    guard let depth = range.first.map({ text.depths[$0] }) else { return "()" }
    var result = "("
    var start = range.lowerBound
    while start < range.upperBound {
      let end = (start..<range.upperBound).first {
        text.depths[$0] == depth && text.bytes[$0] == UInt8(ascii: ",")
      }
      let words = text.bytes[start..<(end ?? range.upperBound)]
      let label = words.prefix { !Self.endsLabel.contains($0) }
      let isLabel = label.endIndex < words.endIndex && words[label.endIndex] == UInt8(ascii: ":") && !label.isEmpty
      result += isLabel ? String(decoding: label, as: UTF8.self) + ":" : "_:"
      guard let end else { break }
      start = end + 2
    }
    return result + ")"
  }

  private static let endsLabel = Set(" :,<(.@".utf8)
}
