import OpTraceRunning
import Foundation
import OpTraceModel
import OpTraceSymbols
import OpTraceText

/// The names of the code in a trace's stacks, from the program's files.
struct TraceSymbols {
  let names: [SymbolWriter.Names]
  /// How many code addresses there are, and for how many of them the function and the line are known.
  let count: Int
  let named: Int
  let withLine: Int
  /// What is missing, and why: one sentence each.
  let troubles: [String]

  /// Reads the images' files. O(addresses · log(addresses) + their tables).
  /// - Parameters:
  ///   - known: frames that have names already.
  ///   - debugFile: the file with the symbols of a stripped program; nil: search for it.
  ///   - files: where the files of images are, by their paths, if not there.
  init(
    of stacks: StackTable, besides known: Set<FrameID> = [], debugFile: String? = nil, files: [String: String] = [:]
  ) {
    let images = stacks.images.sorted { $0.key < $1.key }
    let modules = images.map {
      CodeModule(path: files[$0.value.path] ?? $0.value.path, buildID: $0.value.buildID.flatMap(Self.bytes))
    }
    let numbers = Dictionary(images.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    var frames: [FrameID] = []
    var addresses: [CodeAddress] = []
    let unnamed = stacks.addresses.filter { !known.contains($0.0) }
    for (frame, address) in unnamed {
      guard let module = address.image.flatMap({ numbers[$0] }) else { continue }
      frames.append(frame)
      addresses.append(CodeAddress(module: module, offset: address.offset, isReturnAddress: address.returns))
    }
    var options = Symbolicator.Options()
    options.inlining = Symbolicator.Inlining()
    options.debugFiles = debugFile.map { [$0] } ?? []
    let found = Symbolicator(options: options).symbolicate(addresses, in: modules)
    names = zip(zip(frames, addresses), found.frames).compactMap { named, symbols in
      guard !symbols.isEmpty else { return nil }
      let image = images[named.1.module].value.name
      return (named.0, symbols.map { Self.record($0, image: image) })
    }
    count = unnamed.count
    named = names.count
    withLine = names.count { $0.symbols.contains { $0.line != nil } }
    troubles = found.modules.flatMap { module in module.troubles.map { "\($0)" } }
  }

  /// `'run.optrace': 40 addresses of the program's code, 38 with a name, 12 with a line`.
  func told(of name: String) -> String {
    "\(name): \(counted(count, "address", plural: "addresses")) of the program's code, \(grouped(named)) with a name, "
      + "\(grouped(withLine)) with a line"
  }

  func add(toFile path: String) throws -> SymbolWriter.Outcome {
    names.isEmpty ? .done : try SymbolWriter.append(names, toFile: path)
  }

  private static func record(_ frame: SymbolFrame, image: String) -> SymbolRecord {
    SymbolRecord(
      function: frame.function.full, shortName: frame.function.short, module: frame.function.module ?? image,
      file: frame.file, line: frame.line)
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8]? {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    guard digits.count == hexadecimal.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension InputTrace {
  /// The trace with the names of its code, if its process runs. Names are written into the file only when the process
  /// has ended.
  func withLiveNames() -> InputTrace {
    guard LiveProcess.writes(trace), !trace.stacks.hasNames, !trace.stacks.addresses.isEmpty else { return self }
    var named = self
    named.trace.name(withProgress("looking up the names of code") { TraceSymbols(of: trace.stacks).names })
    return named
  }
}
