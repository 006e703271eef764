/// A function's name, as the linker knows it and as people do.
public struct FunctionName: Hashable, Sendable {
  /// In the object file.
  public let mangled: String
  /// All that the mangled name says: modules, types, attributes. The mangled name where nobody can read it.
  public let full: String
  /// For people: `closure #1 in loadUsers(_:)`. Without modules, types, generic arguments and what the compiler adds.
  public let short: String
  /// Code that the compiler made up and that no line of the source stands for: a thunk, an accessor of metadata, a copy of a
  /// value. Its short name is that of what it leads to, where it leads to a function.
  public let isGlue: Bool

  /// - Complexity: O(length of the full name).
  public init(mangled: String) {
    let bare = FunctionName.withoutVersion(mangled)
    if FunctionName.isSwift(bare) {
      guard let demangled = Demangler.swift(bare) else {
        self.init(mangled: mangled, full: bare, short: bare, isGlue: false)
        return
      }
      var name = SwiftName(demangled)
      let short = name.short()
      self.init(mangled: mangled, full: demangled, short: short, isGlue: name.isGlue)
    } else if bare.hasPrefix("_Z"), let demangled = Demangler.cxx(bare) {
      self.init(mangled: mangled, full: demangled, short: CxxName.short(demangled), isGlue: false)
    } else {
      let isGlue = ["__swift_", "objectdestroy", "get_enum_tag_for_layout_string"].contains { bare.hasPrefix($0) }
      self.init(mangled: mangled, full: bare, short: FunctionName.withoutClone(bare), isGlue: isGlue)
    }
  }

  /// A name that is known already.
  public init(mangled: String, full: String, short: String, isGlue: Bool) {
    self.mangled = mangled
    self.full = full
    self.short = short
    self.isGlue = isGlue
  }

  private static func isSwift(_ name: String) -> Bool {
    ["$s", "$S", "_$s", "_$S", "$e", "_$e", "_T0"].contains { name.hasPrefix($0) }
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
