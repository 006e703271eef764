/// Turns addresses in modules into functions, files and lines. It reads the modules' own files, on the machine where the
/// program ran, and the debug files that belong to them.
///
/// Each module is opened once, and of its tables is kept what the asked addresses need.
package struct Symbolicator: Sendable {
  /// Where to search, and for what.
  package struct Options: Sendable {
    /// Folders with separate debug files, as gdb knows them: by build id in `.build-id`, or by the path of the module.
    package var debugFolders: [String] = ["/usr/lib/debug"]
    /// Debug files that are looked at first. Each belongs to the module with its build id.
    package var debugFiles: [String] = []
    /// Files and lines, and not only functions.
    package var lines = true
    /// Inlined functions too, by LLVM's tool. Nil: without them.
    package var inlining: Inlining?

    package init() {}
  }

  /// How inlined functions are asked for.
  package struct Inlining: Sendable {
    /// `llvm-symbolizer`; nil: it is looked for beside `swiftc` and in `PATH`.
    package var tool: String?
    /// For all addresses together. Then the tool is ended.
    package var seconds: Int

    package init(tool: String? = nil, seconds: Int = 30) {
      self.tool = tool
      self.seconds = seconds
    }
  }

  package let options: Options

  package init(options: Options = Options()) { self.options = options }

  /// Names and lines of all addresses. Nothing fails as a whole: what is not known is left out, and reported with its reason.
  ///
  /// - Parameter addresses: in any order; the same one may come many times. One of a module that is not in the list has no frames.
  /// - Complexity: O(addresses · log(addresses)), and for each module O(symbols · log(addresses) + line table). Memory follows the
  ///   addresses and the largest unit of a line table.
  package func symbolicate(_ addresses: [CodeAddress], in modules: [CodeModule]) -> Symbolication {
    var frames = [[SymbolFrame]](repeating: [], count: addresses.count)
    var wanted = [[(lookup: UInt64, index: Int)]](repeating: [], count: modules.count)
    for (index, address) in addresses.enumerated() where modules.indices.contains(address.module) {
      // Below 0 there is no code.
      guard !address.isReturnAddress || address.offset > 0 else { continue }
      wanted[address.module].append((address.offset - (address.isReturnAddress ? 1 : 0), index))
    }
    var names: [String: FunctionName] = [:]
    var readings: [ModuleReading] = []
    for (module, asked) in zip(modules, wanted) {
      let lookups = Set(asked.lazy.map(\.lookup)).sorted()
      readings.append(ModuleReading(module, lookups, options, &names))
    }
    let inlining = addInlined(to: &readings, &names)
    for index in readings.indices { readings[index].finish() }
    for (reading, asked) in zip(readings, wanted) {
      for (lookup, index) in asked { frames[index] = reading.frames[reading.lookups.firstSlot(atOrAfter: lookup)] }
    }
    return Symbolication(frames: frames, modules: readings.map(\.summary), inlining: inlining)
  }

  private func addInlined(
    to readings: inout [ModuleReading], _ names: inout [String: FunctionName]
  ) -> InliningOutcome {
    guard let inlining = options.inlining else { return .notAsked }
    guard let tool = inlining.tool ?? InlinedFrames.findTool() else { return .noTool }
    var questions: [InlinedFrames.Question] = []
    var targets: [(reading: Int, slot: Int)] = []
    for (index, reading) in readings.enumerated() {
      // What cannot be quoted cannot be asked for.
      guard let path = reading.debugPath, !path.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 < 32 }) else {
        continue
      }
      for slot in reading.inCode {
        questions.append(InlinedFrames.Question(path: path, address: reading.lookups[slot]))
        targets.append((index, slot))
      }
    }
    guard !questions.isEmpty else { return .done(tool) }
    let (answers, outcome) = InlinedFrames.ask(tool, questions, seconds: inlining.seconds)
    FunctionName.learn(answers.lazy.flatMap { $0.lazy.compactMap(\.mangled) }, &names)
    for (answer, target) in zip(answers, targets) { readings[target.reading].take(answer, at: target.slot, names) }
    return outcome
  }
}
