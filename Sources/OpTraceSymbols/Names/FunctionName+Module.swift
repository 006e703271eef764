extension FunctionName {
  /// The Swift module that the function is from; nil where it is no Swift function, or its name does not begin with one.
  ///
  /// A mangled name begins with what it is in; a module is its length in digits and its letters (docs/ABI/Mangling.rst of the
  /// Swift project).
  public var module: String? {
    guard let prefix = ["$s", "_$s", "$e", "_$e"].first(where: mangled.hasPrefix) else { return nil }
    let rest = mangled.utf8.dropFirst(prefix.utf8.count)
    // Swift's own module, and what of it has a letter of its own.
    if rest.first == UInt8(ascii: "s") { return "Swift" }
    if rest.first == UInt8(ascii: "S"), let letter = rest.dropFirst().first, letter != UInt8(ascii: "o"),
      letter != UInt8(ascii: "C")
    {
      return "Swift"
    }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    // Words of an earlier part stand in what begins with a zero.
    guard let length = Int(String(decoding: digits, as: UTF8.self)), digits.first != 0x30 else { return nil }
    let letters = rest.dropFirst(digits.count).prefix(length)
    return letters.count == length ? String(decoding: letters, as: UTF8.self) : nil
  }
}
