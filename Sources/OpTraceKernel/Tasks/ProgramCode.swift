package import OpTraceModel

/// The program's own functions in stacks, each once. Code of packages that the program depends on is not its own,
/// although it is linked into the same file: SwiftPM and Xcode keep its sources in a folder `checkouts`.
package struct ProgramCode {
  /// What a stack shows of the program.
  package struct Path: Sendable {
    /// Indexes in ``functions``, the outermost first.
    package var functions: [Int32] = []
    /// An index in ``locations``: the innermost line of the program's own, else the innermost known line; -1: nothing
    /// is known.
    package var location: Int32 = -1
    /// One location for all lines of that function; -1: nothing is known.
    package var function: Int32 = -1
    /// Whether ``location`` is in the program's own code.
    package var isOwn = false
  }

  /// Each function once, with the line that was seen first.
  package private(set) var functions: [CodeLocation] = []
  /// Each line once.
  package private(set) var locations: [CodeLocation] = []
  /// For each location the index of its function.
  package private(set) var functionOfLocation: [Int32] = []
  /// For each function the first of its locations.
  private var firstLocations: [Int32] = []
  private let stacks: StackTable
  /// Modules whose inlined code may be in the program's functions: those of Swift, and of packages that the program
  /// depends on.
  private var others: Set<String> = [
    "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Foundation", "FoundationEssentials", "Dispatch",
  ]
  private var known: [FrameID: Path] = [:]
  private var functionIndexes: [CodeLocation: Int32] = [:]
  private var locationIndexes: [CodeLocation: Int32] = [:]

  package init(_ stacks: StackTable) {
    self.stacks = stacks
    // Closures of a package have no file, so recognise its modules by code that has one. Code of a package that was
    // specialised for the program has the program's module.
    var counts: [String: Int] = [:]
    for (frame, _) in stacks.addresses {
      for symbol in stacks.symbols(of: frame) where symbol.file != nil {
        if let module = symbol.module { counts[module, default: 0] += symbol.isOfDependency ? 1 : -1 }
      }
    }
    others.formUnion(counts.lazy.filter { $0.value > 0 }.map(\.key))
  }

  /// O(depth) the first time, then O(1).
  package mutating func path(_ innermost: FrameID?) -> Path {
    guard let innermost else { return Path() }
    if let path = known[innermost] { return path }
    var path = read(innermost)
    path.function = wholeFunction(path.location)
    known[innermost] = path
    return path
  }

  /// The index of a location, which is added if it is new.
  package mutating func index(of location: CodeLocation) -> Int32 {
    if let index = locationIndexes[location] { return index }
    let index = Int32(locations.count)
    locationIndexes[location] = index
    locations.append(location)
    let function = functionIndex(of: location)
    functionOfLocation.append(function)
    if Int(function) == firstLocations.count { firstLocations.append(index) }
    return index
  }

  /// The location of a function that was seen first, as an index of a location.
  package func location(ofFunction index: Int32) -> Int32 { firstLocations[Int(index)] }

  /// The outermost own function in which two stacks are at different lines: that function calls the rest repeatedly.
  /// Nil: there is none. O(depth).
  package mutating func function(inWhich first: FrameID, and second: FrameID) -> Int32? {
    for (one, other) in zip(stacks.stack(first).reversed(), stacks.stack(second).reversed()) where one != other {
      guard stacks[one]?.address != stacks[other]?.address else { continue }
      return path(one).functions.last
    }
    return nil
  }

  /// One location for all lines of a function, because running time is shown by function. O(1).
  package func wholeFunction(_ location: Int32) -> Int32 {
    location < 0 ? location : firstLocations[Int(functionOfLocation[Int(location)])]
  }

  /// The same of all locations, by their index.
  package var wholeFunctions: [Int32] { functionOfLocation.map { firstLocations[Int($0)] } }

  private mutating func functionIndex(of location: CodeLocation) -> Int32 {
    var key = location
    (key.line, key.file) = (nil, nil)
    if let index = functionIndexes[key] {
      if functions[Int(index)].file == nil { functions[Int(index)] = location }
      return index
    }
    let index = Int32(functions.count)
    functionIndexes[key] = index
    functions.append(location)
    return index
  }

  private mutating func read(_ innermost: FrameID) -> Path {
    var path = Path()
    for id in stacks.stack(innermost) where stacks.isOwn(id) {
      for symbol in stacks.symbols(of: id) where isOwn(symbol) {
        let index = index(
          of: CodeLocation(function: symbol.shortName, file: symbol.file, line: symbol.line, module: symbol.module))
        if path.location < 0 { (path.location, path.isOwn) = (index, true) }
        let function = functionOfLocation[Int(index)]
        if path.functions.last != function { path.functions.append(function) }
      }
    }
    path.functions.reverse()
    if path.location < 0, let location = stacks.codeLocation(innermost) { path.location = index(of: location) }
    return path
  }

  private func isOwn(_ symbol: SymbolRecord) -> Bool {
    if symbol.shortName == StackTable.namelessGlue { return false }
    if let module = symbol.module {
      if !stacks.ownModules.isEmpty { return stacks.ownModules.contains(module) }
      if others.contains(module) { return false }
    } else if symbol.line == nil {
      // The C library's first functions, and code without source.
      return false
    }
    return !symbol.isOfDependency
  }
}
