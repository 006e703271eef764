/// The addresses of one module, and what its files say of them.
struct ModuleReading {
  /// Ascending, each once.
  let lookups: [UInt64]
  /// For each lookup.
  var frames: [[SymbolFrame]]
  var summary: ModuleSymbols
  /// The file with debug information, or the module; nil: none may be used.
  private(set) var debugPath: String?
  /// Slots of lookups that lie where the module has code.
  private(set) var inCode: [Int] = []
  /// Slots of lookups in code that several functions share: its lines, and what was inlined, are those of only one of them.
  private var shared: Set<Int> = []

  /// - Parameter names: those that were demangled already; modules share some.
  init(
    _ module: CodeModule, _ lookups: [UInt64], _ options: Symbolicator.Options, _ names: inout [String: FunctionName]
  ) {
    self.lookups = lookups
    frames = Array(repeating: [], count: lookups.count)
    summary = ModuleSymbols(module: module)
    summary.addresses = lookups.count
    guard !lookups.isEmpty else { return }
    do throws(SymbolTrouble) {
      try read(options, &names)
    } catch {
      summary.troubles.append(error)
    }
  }

  private mutating func read(
    _ options: Symbolicator.Options, _ names: inout [String: FunctionName]
  ) throws(SymbolTrouble) {
    let image = try Self.image(of: summary.module)
    let path = image.file.path
    if summary.module.buildID == nil { summary.troubles.append(.notVerified(path)) }
    inCode = lookups.indices.filter { image.isCode(lookups[$0]) }
    let outside = lookups.count - inCode.count
    if outside > 0 { summary.troubles.append(.outsideOfCode(path, count: outside)) }

    var debug: ElfImage?
    let own = FunctionSymbols(image)
    let isStripped = own?.isDynamic != false
    let hasLines = image.section(".debug_line") != nil
    if isStripped || (options.lines && !hasLines) {
      let search = DebugFile.search(for: image, in: options.debugFolders, given: options.debugFiles)
      summary.troubles += search.troubles
      summary.debugFile = search.found?.file.path
      debug = search.found
    }
    // The module may have what the debug file lacks: at least the names that it exports.
    let whole = [debug.flatMap(FunctionSymbols.init), own].compactMap { $0 }.first { !$0.isDynamic }
    if whole == nil { summary.troubles.append(.stripped(path)) }
    let source = hasLines ? image : debug ?? image
    debugPath = source.file.path
    guard let symbols = whole ?? own else { return }
    guard options.lines else { return readNames(symbols, image, nil, &names) }
    do throws(SymbolTrouble) {
      guard let table = try LineTable(source) else { throw .noLines(source.file.path) }
      readNames(symbols, image, table, &names)
    } catch {
      readNames(symbols, image, nil, &names)
      if summary.named > 0 { throw error }
    }
  }

  private mutating func readNames(
    _ symbols: FunctionSymbols, _ image: ElfImage, _ table: LineTable?, _ names: inout [String: FunctionName]
  ) {
    let found = symbols.functions(at: lookups)
    var mangled: [UInt32: String] = [:]
    for case let symbol? in found where mangled[symbol.name] == nil { mangled[symbol.name] = symbols.name(of: symbol) }
    var code = SharedCode(found.lazy.compactMap { $0 }, mangled, symbols, code: table == nil ? nil : image)
    let jumpers = code.jumpers
    let awaits = AwaitLines(lookups, found, mangled, symbols)
    let more = jumpers + awaits.addresses
    let asked = more.isEmpty ? lookups : Set(lookups + more).sorted()
    let lines = table?.locations(at: asked) ?? []
    code.leaveOut(Set(zip(asked, lines).lazy.compactMap { $1?.start == $0 ? $0 : nil }))
    FunctionName.learn(Array(mangled.values) + code.names, &names)
    let several = code.named(names)
    for (slot, symbol) in found.enumerated() {
      guard let symbol, let name = mangled[symbol.name], let function = names[name] else { continue }
      let one = several[symbol.start]
      if one != nil || SharedCode.isMerged(name) { shared.insert(slot) }
      frames[slot] = [SymbolFrame(function: one ?? function)]
    }
    summary.named = frames.count { !$0.isEmpty }
    var known: [UInt64: LineLocation] = [:]
    for (address, location) in zip(asked, lines) {
      guard let location else { continue }
      known[address] = location
      add(location, at: address)
    }
    for (address, location) in awaits.locations(known) { add(location, at: address) }
  }

  /// Lines belong to functions: where none is known, there is no frame to put one into.
  private mutating func add(_ location: LineLocation, at address: UInt64) {
    let slot = lookups.firstSlot(atOrAfter: address)
    guard lookups.indices.contains(slot), lookups[slot] == address, !frames[slot].isEmpty, !shared.contains(slot) else {
      return
    }
    let hadLine = frames[slot][0].line != nil
    frames[slot][0].file = location.file
    frames[slot][0].line = location.line > 0 ? Int(exactly: location.line) : nil
    frames[slot][0].column = location.column > 0 ? Int(exactly: location.column) : nil
    if frames[slot][0].line != nil, !hadLine { summary.withLine += 1 }
  }

  /// What LLVM's tool says of one address. The outermost function keeps the name that the symbol table gives it.
  mutating func take(_ answer: [InlinedFrames.Frame], at slot: Int, _ names: [String: FunctionName]) {
    guard !shared.contains(slot) else { return }
    let known = frames[slot].first
    var inlined: [SymbolFrame] = []
    for (index, frame) in answer.enumerated() {
      let isOutermost = index == answer.count - 1
      let function =
        (isOutermost ? known?.function : nil) ?? frame.mangled.flatMap { names[$0] }
      guard let function else { return }
      inlined.append(
        SymbolFrame(
          function: function, file: frame.file, line: frame.line, column: frame.column, isInlined: !isOutermost))
    }
    // One frame says no more than the own reader does, unless that found nothing. Without a line it is the symbol before the address,
    // which need not hold it: `_init` stands before stubs that call other modules.
    guard inlined.count > 1 || known == nil && inlined.first?.line != nil else { return }
    if known == nil { summary.named += 1 }
    if known?.line == nil, inlined[0].line != nil { summary.withLine += 1 }
    frames[slot] = inlined
  }

  /// When all have been asked that may know.
  mutating func finish() {
    let unnamed = inCode.count { frames[$0].isEmpty }
    if unnamed > 0, let debugPath { summary.troubles.append(.noSymbol(debugPath, count: unnamed)) }
  }

  // MARK: - The module's file

  /// The file that ran, or why it is not there.
  private static func image(of module: CodeModule) throws(SymbolTrouble) -> ElfImage {
    let gone = " (deleted)"
    if isOfKernel(module.path) { throw .kernelCode }
    guard module.path.hasSuffix(gone) else { return try verified(module.path, module.buildID) }
    // There is a file at the path again, as after a build: only its build id shows whether it is the same.
    let path = String(module.path.dropLast(gone.count))
    guard module.buildID != nil, let image = try? verified(path, module.buildID) else { throw .deleted(path) }
    return image
  }

  private static func isOfKernel(_ path: String) -> Bool {
    ["[vdso]", "linux-vdso.so.1", "linux-gate.so.1", "[vsyscall]"].contains(path)
  }

  private static func verified(_ path: String, _ buildID: [UInt8]?) throws(SymbolTrouble) -> ElfImage {
    let image = try ElfImage(path: path)
    if let buildID, image.buildID != buildID {
      throw .otherBuild(path, recorded: hexadecimal(buildID), found: hexadecimal(image.buildID ?? []))
    }
    return image
  }
}

/// Two digits for each byte.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
