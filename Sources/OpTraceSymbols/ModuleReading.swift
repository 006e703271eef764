/// The addresses of one module, and what its files say of them.
struct ModuleReading {
  /// Ascending, each once.
  let lookups: [UInt64]
  /// For each lookup.
  var frames: [[SymbolFrame]]
  var summary: ModuleSymbols
  /// The file with debug information, where there is one.
  private(set) var debugPath: String?

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
    let outside = lookups.count { !image.isCode($0) }
    if outside > 0 { summary.troubles.append(.outsideOfCode(path, count: outside)) }

    let symbols = FunctionSymbols(image)
    if symbols?.isDynamic != false { summary.troubles.append(.stripped(path)) }
    if let symbols { readNames(symbols, &names) }
    summary.named = frames.count { !$0.isEmpty }
    let unnamed = lookups.count - outside - summary.named
    if unnamed > 0 { summary.troubles.append(.noSymbol(path, count: unnamed)) }
  }

  private mutating func readNames(_ symbols: FunctionSymbols, _ names: inout [String: FunctionName]) {
    var last: (name: UInt32, function: FunctionName)?
    for (slot, symbol) in symbols.functions(at: lookups).enumerated() {
      guard let symbol else { continue }
      if last?.name != symbol.name {
        guard let mangled = symbols.name(of: symbol) else { continue }
        last = (symbol.name, Self.function(mangled, &names))
      }
      if let last { frames[slot] = [SymbolFrame(function: last.function)] }
    }
  }

  static func function(_ mangled: String, _ names: inout [String: FunctionName]) -> FunctionName {
    if let known = names[mangled] { return known }
    let function = FunctionName(mangled: mangled)
    names[mangled] = function
    return function
  }

  // MARK: - The module's file

  /// The file that ran, or why it is not there.
  private static func image(of module: CodeModule) throws(SymbolTrouble) -> ElfImage {
    let gone = " (deleted)"
    if isOfKernel(module.path) { throw .kernelCode }
    guard module.path.hasSuffix(gone) else { return try verified(module.path, module.buildID) }
    // Something stands at the path again, as after a build: only its build id tells whether it is the same.
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
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
