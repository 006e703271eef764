/// Code that several Swift functions share, so that its address does not tell which of them was called. There are three kinds:
///
/// - The linker keeps one of functions with the same code (`--icf`). All names stay, at one address.
/// - The optimiser keeps one of functions with the same code. The others only jump to it.
/// - The optimiser makes one of functions that differ in constants: its name ends in `Tm`. The functions themselves set the
///   constants and jump to it. Those that nothing but calls led to are gone, with their names, as their callers call it instead.
///
/// A function that only calls another may jump to it, too. It has a line, and what the optimiser put in place of a function has none.
/// The lines of shared code are those of one function, at best. A call does not tell more: Swift's debug information has no call sites.
struct SharedCode {
  /// The names of functions of the source that are asked for, by their starts.
  private var own: [UInt64: String] = [:]
  /// All names at one address, by it.
  private var shared: [UInt64: [String]] = [:]
  /// Functions that end with a jump to another one, by that.
  private var jumping: [UInt64: [(start: UInt64, name: String)]] = [:]
  /// How often each is called or jumped to by name.
  private var calls: [UInt64: Int] = [:]

  /// More names than these at one address are no functions with the same code, and more of all addresses are of no program.
  private static let mostNames = 1 << 8
  private static let mostNamesOfAll = 1 << 14
  /// In bytes: of what sets some constants and jumps.
  private static let longestJumping: UInt64 = 128
  /// Swift gives it the names of all methods that nothing can call.
  private static let deadMethod = "_swift_dead_method_stub"
  private static let suffix = "Tm"

  /// - Parameters:
  ///   - names: of the functions, by where the table of names has them.
  ///   - image: the module; nil: there are no lines, and so no telling who jumps somewhere in whose place.
  /// - Complexity: O(symbols + code).
  init(
    _ functions: some Sequence<FunctionSymbols.Symbol>, _ names: [UInt32: String], _ symbols: FunctionSymbols,
    code image: ElfImage?
  ) {
    var asked: [FunctionSymbols.Symbol] = []
    for symbol in functions {
      guard own[symbol.start] == nil, let name = names[symbol.name], Self.isSwift(name) else { continue }
      own[symbol.start] = name
      asked.append(symbol)
    }
    guard !asked.isEmpty else { return }
    shared = symbols.names(sharedWith: asked, most: Self.mostNames, ofAll: Self.mostNamesOfAll).compactMapValues {
      $0.contains(Self.deadMethod) ? nil : $0.filter(Self.isSwift)
    }
    guard let image, let jumps = DirectJumps(to: Set(own.keys), in: image) else { return }
    calls = jumps.counts
    let jumping = symbols.functions(endingAt: Set(jumps.targets.keys), longest: Self.longestJumping)
    for symbol in jumping.prefix(Self.mostNamesOfAll) {
      guard let target = jumps.targets[symbol.start &+ symbol.size], target != symbol.start,
        // A function with the same code needs no constants.
        own[target].map(Self.isMerged) == true || DirectJumps.isOnlyJump(symbol, in: image),
        let name = symbols.name(of: symbol), Self.isSwift(name)
      else { continue }
      self.jumping[target, default: []].append((symbol.start, name))
    }
  }

  /// Where functions begin that may be there only in place of others.
  var jumpers: [UInt64] { jumping.values.joined().map(\.start) }

  /// - Parameter withLine: where functions begin that have a line: people wrote them.
  mutating func leaveOut(_ withLine: Set<UInt64>) {
    jumping = jumping.mapValues { $0.filter { !withLine.contains($0.start) } }
  }

  /// To be demangled.
  var names: [String] {
    let all = [Array(own.values), Array(shared.values.joined()), jumping.values.joined().map(\.name)]
    return all.joined().map(Self.bare)
  }

  /// What code is called that may have been called as another function than its symbol says, by its start.
  func named(_ known: [String: FunctionName]) -> [UInt64: FunctionName] {
    var result: [UInt64: FunctionName] = [:]
    for (start, name) in own {
      let here = shared[start] ?? [name]
      let jumpers = jumping[start, default: []]
      guard here.count + jumpers.count > 1 else { continue }
      let candidates = Set((here + jumpers.map(\.name)).map(Self.bare)).compactMap { known[$0] }
      // Who calls it and is none of them may have called a function that is gone.
      let isOpen = here.contains(where: Self.isMerged) && calls[start, default: 0] > Set(jumpers.map(\.start)).count
      result[start] = FunctionName(name, oneOf: candidates, isOpen: isOpen)
    }
    return result
  }

  /// Whether it has the optimiser's mark.
  static func isMerged(_ name: String) -> Bool { name.hasSuffix(suffix) && isSwift(name) }

  /// The function that merged code was made of first.
  private static func bare(_ name: String) -> String {
    isMerged(name) ? String(name.dropLast(suffix.utf8.count)) : name
  }

  private static func isSwift(_ name: String) -> Bool { Demangler.language(name) == .swift }
}
