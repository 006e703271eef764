extension ImageRecord {
  private static let systemFolders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/", "/System/"]
  private static let systemNames = [
    "libswift", "libFoundation", "lib_Foundation", "lib_Internationalization", "libdispatch.", "libXCTest.",
    "libBlocksRuntime", "libOpTrace", "libTesting.", "lib_Testing",
  ]

  static func isSystem(path: String, name: String) -> Bool {
    // The image that the kernel maps has no path.
    guard path.contains("/") else { return true }
    return Self.systemFolders.contains { path.hasPrefix($0) } || Self.systemNames.contains { name.hasPrefix($0) }
  }
}

extension StackTable {
  /// Whether a frame is the program's own code: neither that of a system library, nor that of the recorder, which
  /// symbols identify if it is linked into the program. O(1).
  public func isOwn(_ id: FrameID) -> Bool {
    guard let image = image(of: id), !image.isSystem, self[id]?.library == nil else { return false }
    return symbols(of: id).last?.isLinkedIn != true
  }

  /// The innermost frame of a stack that is the program's own code; nil: there is none, or nothing is known. O(depth).
  public func ownFrame(_ innermost: FrameID?) -> FrameID? { stack(innermost).first(where: isOwn) }

  /// The most useful own frame. An address without a name, as in a stripped library, helps nobody, and neither does
  /// glue that the compiler made to pass a closure on or to reach a global: then the next own function is taken, unless
  /// it is only a guess.
  private func bestFrame(_ innermost: FrameID) -> FrameID? {
    var first: FrameID?
    for id in stack(innermost) where isOwn(id) {
      if let first, self[id]?.isGuessed != self[first]?.isGuessed { return first }
      if let name = function(of: id)?.shortName, name != Self.namelessGlue, !Self.isAccessor(name) {
        return id
      }
      if first == nil { first = id }
    }
    return first
  }

  /// The short name of all functions that adapt a closure to another calling convention.
  package static let namelessGlue = "reabstraction thunk"

  /// Whether it is the accessor of a global. Its line is that of the global, not of the code that uses it.
  private static func isAccessor(_ shortName: String) -> Bool {
    shortName.hasSuffix(accessor) || reached(by: shortName) != nil
  }
  private static let accessor = ".unsafeMutableAddressor"

  private static func reached(by shortName: String) -> SharedName? {
    // A quick check first: it is called for each frame, and few match.
    shortName.contains(accessor) ? SharedName(shortName).without(suffix: accessor) : nil
  }

  /// Whether it is, or may be, an initialiser of the type.
  static func isInitialiser(_ shortName: String, of type: String) -> Bool {
    guard shortName.contains("init(") else { return false }
    return shortName.hasPrefix(type + ".")
      || shortName.hasPrefix(SharedName.several) && shortName.contains(" " + type + ".init(")
  }

  /// The source location of a stack: in the innermost own function that has a name, else at the innermost own frame,
  /// else at the innermost frame. If that function has no line, the line of its caller is not used instead, because the
  /// function says more. Nil: not known. O(depth).
  public func codeLocation(_ innermost: FrameID?) -> CodeLocation? {
    guard let innermost, let frame = bestFrame(innermost) ?? (self[innermost] == nil ? nil : innermost) else {
      return nil
    }
    // Inlined functions of Swift's library have no lines of their own.
    let symbols = symbols(of: frame)
    let lines = symbols.filter { $0.line != nil }
    guard let symbol = lines.first(where: { !Self.isAccessor($0.shortName) }) ?? lines.first ?? symbols.last else {
      return CodeLocation(function: text(of: frame), module: image(of: frame)?.name)
    }
    return CodeLocation(
      function: symbol.shortName, file: symbol.file, line: symbol.line, module: symbol.module ?? image(of: frame)?.name)
  }

  /// The own functions that lead to a stack's source location, the nearest first, at most `most` of them. Code that the
  /// compiler made and guessed frames are left out. O(depth).
  package func callers(of innermost: FrameID?, most: Int) -> [CodeLocation] {
    guard let innermost, let frame = bestFrame(innermost), let own = codeLocation(innermost) else { return [] }
    let calls = stack(frame).prefix { self[$0]?.isGuessed == false }.filter(isOwn).flatMap { id in
      symbols(of: id).map { (id, $0) }
    }
    let named = calls.filter {
      !Self.isAccessor($0.1.shortName) && $0.1.shortName != Self.namelessGlue
        && ($0.1.line != nil || $0.1.shortName.hasPrefix(SharedName.several))
    }
    return named.drop { $0.1.shortName != own.function || $0.1.line != own.line }.dropFirst().prefix(most).map {
      CodeLocation(function: $1.shortName, file: $1.file, line: $1.line, module: $1.module ?? image(of: $0)?.name)
    }
  }

  /// The global or static property that the innermost own code of a stack accesses, or several if these share their
  /// code; nil: it does something else. O(depth).
  package func reachedGlobal(_ innermost: FrameID?) -> SharedName? {
    guard let frame = ownFrame(innermost) else { return nil }
    return symbols(of: frame).lazy.compactMap { Self.reached(by: $0.shortName) }.first
  }

  /// Where an operation's object was created: the caller of the initialisers of its class. Nil: not known, or it is the
  /// location where it was added to a queue. O(depth).
  public func creationSite(of operation: borrowing OperationRecord) -> CodeLocation? {
    guard let made = operation.madeAt else { return nil }
    let own = stack(made).filter(isOwn)
    let typeName = operation.className
    let initialisers = own.prefix { symbols(of: $0).last?.shortName.contains("init(") == true }
    let inner = initialisers.lastIndex { id in
      symbols(of: id).contains { Self.isInitialiser($0.shortName, of: typeName) }
    }
    let maker = inner.map { $0 + 1 }.flatMap { own.indices.contains($0) ? own[$0] : nil } ?? own.first ?? made
    guard let location = codeLocation(maker) else { return nil }
    return location == codeLocation(operation.addedAt) ? nil : location
  }
}

extension CodeLocation {
  /// Whether the compiler made this code to call a closure, so that it is no line of the program.
  package var isGlue: Bool { function == StackTable.namelessGlue }
}
