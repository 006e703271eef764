/// A function on a thread's stack, as every output shows it: inlined ones are frames of their own.
public struct StackFrame: Sendable, Equatable {
  /// The displayed name; nil: not known.
  public var function: String?
  /// The Swift module of the function, else the image's name; nil: not known.
  public var module: String?
  /// The source file; nil: not known.
  public var file: String?
  /// From 1; nil: not known.
  public var line: Int?
  /// The name of the file that holds the code; nil: not known.
  public var image: String?
  /// The offset of the code in the image's file; without an image, its address in memory.
  public var offset: UInt64
  /// Whether it was found without an unwind rule of the compiler, and may be wrong.
  public var isGuessed: Bool
  /// Whether its code was inlined into the frame outside of it, whose address it shares.
  public var isInlined: Bool
  /// Whether it is the program's code, not the system's.
  public var isOwn: Bool

  /// `load()`, else `photos+0x4420`, else `0x7f0010`.
  public var title: String { function ?? (image.map { $0 + "+" } ?? "") + "0x" + String(offset, radix: 16) }

  /// `main.swift:12`; nil where the file is not known.
  public var lineText: String? { CodeLocation(file: file, line: line).lineText }
}

extension StackTable {
  /// A stack, the innermost function first. O(depth); a cycle in a damaged trace ends where it begins again.
  public func frames(_ innermost: FrameID?) -> [StackFrame] {
    var met = Set<FrameID>()
    var result: [StackFrame] = []
    for id in stack(innermost) {
      guard met.insert(id).inserted else { break }
      result += functions(of: id)
    }
    return result
  }

  /// The functions of one frame, the innermost of inlined ones first; empty: not known. O(functions).
  public func functions(of id: FrameID) -> [StackFrame] {
    guard let frame = self[id] else { return [] }
    let image = image(of: id)?.name
    let whole = StackFrame(
      module: codeName(of: id), image: image, offset: frame.address.offset, isGuessed: frame.isGuessed,
      isInlined: false,
      isOwn: isOwn(id))
    let symbols = symbols(of: id)
    guard !symbols.isEmpty else { return [whole] }
    return symbols.enumerated().map { index, symbol in
      var one = whole
      (one.function, one.file, one.line) = (symbol.shortName, symbol.file, symbol.line)
      one.module = symbol.module ?? whole.module
      one.isInlined = index < symbols.count - 1
      return one
    }
  }
}

extension CodeLocation {
  /// `main.swift:12`: the last part of the path, and the line; nil where the file is not known.
  public var lineText: String? { SymbolRecord(function: "", shortName: "", file: file, line: line).lineText }

  /// `load() (main.swift:12)`, or the part of it that is known; nil: nothing is.
  public var text: String? {
    guard let function else { return lineText }
    return function + (lineText.map { " (\($0))" } ?? "")
  }
}
