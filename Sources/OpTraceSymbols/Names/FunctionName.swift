/// A function's name, as the linker knows it and as people do.
package struct FunctionName: Hashable, Sendable {
  /// In the object file.
  package let mangled: String
  /// All that the mangled name says: modules, types, attributes. The mangled name where nobody can read it.
  package let full: String
  /// For people: `closure #1 in loadUsers(_:)`. Without modules, types, generic arguments and what the compiler adds. Code that
  /// it made up, such as a thunk, is called as the function that it leads to.
  package let short: String
  /// The Swift module that the function is from; nil where it is no Swift function, its name does not begin with one, or it is one of
  /// several modules' functions.
  package let module: String?
  /// What the compiler made, of whatever type: `outlined copy`; nil: it is a function of the source.
  let helper: String?

  /// Demangles a name that a compiler made. Swift's runtime ends the process at some names that are damaged: those of a file
  /// that nobody vouches for are for ``Symbolicator``.
  /// - Complexity: O(length of the full name).
  package init(mangled: String) {
    let bare = FunctionName.readable(mangled)
    self.init(mangled, bare, demangled: Demangler.language(bare) == nil ? nil : Demangler.text(bare))
  }

  private init(_ mangled: String, _ bare: String, demangled: String?) {
    self.mangled = mangled
    module = FunctionName.module(of: mangled)
    guard let demangled, let language = Demangler.language(bare) else {
      let name = FunctionName.withoutVersion(mangled)
      full = name
      // The top level of a program that awaits there, and its pieces behind an await: `async_MainTQ1_`.
      short =
        name == "async_Main" || AwaitLines.function(name) == "async_Main" || name.hasPrefix("async_MainTY")
        ? "async main" : FunctionName.withoutClone(name)
      helper = nil
      return
    }
    if FunctionName.initialised(mangled) != nil {
      var name = SwiftName(demangled).short()
      if name.hasPrefix("static ") { name.removeFirst(7) }
      full = "one-time initialization function for \(name)"
      short = FunctionName.initialiser + name
      helper = nil
      return
    }
    full = demangled
    switch language {
    case .swift:
      let name = SwiftName(demangled)
      (short, helper) = (name.short(), name.helper())
    case .cxx: (short, helper) = (CxxName.short(demangled), nil)
    }
  }

  /// Code that several functions share: `one of load(), store()`. Nil: they are all called alike.
  /// - Parameters:
  ///   - symbol: its name in the object file.
  ///   - isOpen: there may be others that are not known.
  init?(_ symbol: String, oneOf functions: [FunctionName], isOpen: Bool) {
    // In an order that does not change. What the compiler made is shared by types; of those nobody knows which it is.
    var shown: [String: FunctionName] = [:]
    for function in functions.sorted(by: { $0.mangled < $1.mangled }) {
      let name = function.helper ?? function.short
      if shown[name] == nil { shown[name] = function }
    }
    let named = shown.sorted { $0.key < $1.key }
    guard let first = named.first else { return nil }
    guard named.count > 1 else {
      guard let helper = first.value.helper, !isOpen, Set(functions.map(\.short)).count > 1 else { return nil }
      (mangled, full, short, self.helper, module) = (symbol, helper, helper, helper, nil)
      return
    }
    mangled = symbol
    full = Self.list(named.map(\.value.full), isOpen)
    short = Self.list(named.map(\.key), isOpen)
    helper = nil
    module = Set(named.map(\.value.module)).count == 1 ? first.value.module : nil
  }

  private static func list(_ names: [String], _ isOpen: Bool) -> String {
    let more = names.count - mostListed
    return "one of " + names.prefix(mostListed).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
      + (isOpen ? " (or one merged with them)" : "")
  }

  private static let mostListed = 3

  /// Demangles names of any file, in a child process, and adds them to those that are known.
  static func learn(_ mangled: some Sequence<String>, _ known: inout [String: FunctionName]) {
    var asked: [(mangled: String, bare: String)] = []
    for name in Set(mangled) where known[name] == nil {
      let bare = readable(name)
      if Demangler.language(bare) == nil {
        known[name] = FunctionName(name, bare, demangled: nil)
      } else {
        asked.append((name, bare))
      }
    }
    guard !asked.isEmpty else { return }
    Demangler.prepare()
    for (name, text) in zip(asked, DemanglingChild.demangle(asked.map(\.bare))) {
      known[name.mangled] = FunctionName(name.mangled, name.bare, demangled: text)
    }
  }

  /// Begins the short name of the function that makes the value of a global or a static property, when it is first used.
  package static let initialiser = "initialiser of "

  /// The name that is demangled for a function.
  private static func readable(_ mangled: String) -> String {
    let bare = withoutVersion(mangled)
    return initialised(bare) ?? bare
  }

  /// The global or static property that a one-time initialization function makes, as an `Int`: such a function's mangled name has
  /// what the property is in, but not its type, and its demangled name has neither. Nil: it is another function.
  private static func initialised(_ mangled: String) -> String? {
    let bare = withoutVersion(mangled)
    guard bare.hasPrefix("$s"), bare.hasSuffix("_WZ") else { return nil }
    return bare.dropLast(3) + "SivpZ"
  }

  /// `read@@GLIBC_2.2.5`
  private static func withoutVersion(_ name: String) -> String {
    guard let at = name.firstIndex(of: "@"), at != name.startIndex else { return name }
    return String(name[..<at])
  }

  /// `work.cold`, `work.part.3`: pieces and copies of a C function that the compiler made.
  private static func withoutClone(_ name: String) -> String {
    guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return name }
    let word = name[name.index(after: dot)...].prefix { $0 != "." }
    let clones: Set<Substring> = ["cold", "part", "constprop", "isra", "lto_priv", "llvm", "resume", "localalias"]
    return clones.contains(word) ? String(name[..<dot]) : name
  }
}

extension FunctionName {
  /// A mangled name begins with what it is in; a module is its length in digits and its letters (docs/ABI/Mangling.rst of the
  /// Swift project).
  private static func module(of mangled: String) -> String? {
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
    // What begins with a zero refers to words of an earlier part.
    guard let length = Int(String(decoding: digits, as: UTF8.self)), digits.first != 0x30 else { return nil }
    let letters = rest.dropFirst(digits.count).prefix(length)
    return letters.count == length ? String(decoding: letters, as: UTF8.self) : nil
  }
}
