/// A file whose code was in the process: the program, or a library.
public struct ImageRecord: Sendable, Equatable {
  /// As the system had it.
  public let path: String
  /// Hexadecimal; nil: it has none.
  public var buildID: String?
  /// Where it began in memory.
  public var base: UInt64
  /// Bytes.
  public var size: UInt64

  /// The last part of its path.
  public let name: String
  /// Whether it is of the system, of Swift or of OpTrace, and not of the program: by where it is, and by its name where
  /// Swift's runtime is in the program's folder. The recorder has the same rule (`stacks/modules.c`).
  public let isSystem: Bool

  package init(path: String, buildID: String?, base: UInt64, size: UInt64) {
    (self.path, self.buildID, self.base, self.size) = (path, buildID, base, size)
    // Every frame of every stack asks for these.
    let name = path.split(separator: "/").last.map(String.init) ?? path
    self.name = name
    isSystem = Self.isSystem(path: path, name: name)
  }
}

/// A library whose code is in the program's own file, because it was linked into it (`swiftc -static-stdlib`).
public enum LinkedLibrary: UInt8, Sendable {
  /// The runtime, the standard library and tasks.
  case swift = 1
  /// libdispatch.
  case dispatch = 2
  /// What Swift programs call it by.
  case dispatchOverlay = 3
  /// Foundation.
  case foundation = 4
  /// Another one of Swift's, or one that these stand on.
  case other = 5

  /// What the library's file would be called.
  public var name: String {
    switch self {
    case .swift: "libswiftCore.so"
    case .dispatch: "libdispatch.so"
    case .dispatchOverlay: "libswiftDispatch.so"
    case .foundation: "libFoundation.so"
    case .other: "a linked library"
    }
  }
}

/// Code that was on a thread's stack, and what had called it.
public struct FrameRecord: Sendable, Equatable {
  /// Where code is: in which image, and at which of its addresses (without an image, in memory).
  public struct Address: Sendable, Hashable {
    /// The image's number in the trace.
    public var image: UInt32?
    /// As the image's own file has it.
    public var offset: UInt64
    /// It is behind a call, to which it returns; else it is where the thread was, or the beginning of a function.
    public var returns: Bool
  }

  /// Where the code is.
  public var address: Address
  /// The frame outside of it; nil: the outermost.
  public var caller: FrameID?
  /// No rule of the compiler's led there.
  public var isGuessed: Bool
  /// Its callers are not known: only a part of the stack was read.
  public var isCut = false
  /// The library that it is of, if that was linked into its image; nil: the image's own code.
  public var library: LinkedLibrary? = nil
}

/// What code is called, by the image's file. One address has several where functions are inlined.
public struct SymbolRecord: Sendable, Equatable {
  /// Shared: each operation, block and task has a copy of the record, and these are copied more than anything else.
  private final class Names: Sendable, Equatable {
    let function: String
    let shortName: String
    let module: String?
    let file: String?
    let line: Int?
    let isLinkedIn: Bool

    init(_ function: String, _ shortName: String, _ module: String?, _ file: String?, _ line: Int?) {
      (self.function, self.shortName, self.module, self.file, self.line) = (function, shortName, module, file, line)
      // The hooks have names of their own.
      isLinkedIn =
        function == "_start" || function.hasPrefix("optrace_") || file?.contains("/COpTrace/") == true
        || module == "OpTrace" || module == "OpTraceDiagnostics"
    }

    static func == (left: Names, right: Names) -> Bool {
      left === right
        || left.line == right.line && left.function == right.function && left.shortName == right.shortName
          && left.module == right.module && left.file == right.file
    }
  }

  private let names: Names

  /// As the language writes it, whole.
  public var function: String { names.function }
  /// The same for people: `closure #1 in loadUsers(_:)`.
  public var shortName: String { names.shortName }
  /// The Swift module that it is from.
  public var module: String? { names.module }
  /// Nil: not known, as the line.
  public var file: String? { names.file }
  /// From 1.
  public var line: Int? { names.line }
  /// Whether it is the recorder's code, or the C library's first function: both are linked into the program's own file. Every frame of
  /// every stack asks for it.
  package var isLinkedIn: Bool { names.isLinkedIn }

  package init(
    function: String, shortName: String, module: String? = nil, file: String? = nil, line: Int? = nil
  ) {
    names = Names(function, shortName, module, file, line)
  }

  /// Whether its source is a package that the program depends on: SwiftPM and Xcode keep those in a folder `checkouts`.
  package var isOfDependency: Bool { file?.contains("/checkouts/") == true }

  /// `main.swift:12`: the last part of the path, and the line; nil where the file is not known.
  public var lineText: String? {
    guard let name = file?.split(separator: "/").last else { return nil }
    return line.map { "\(name):\($0)" } ?? String(name)
  }
}

/// Where code is in the source: an operation's, or where something was done; nil is not known.
public struct CodeLocation: Sendable, Hashable {
  /// The function that it runs, where that is not its class's own; for people.
  public var function: String?
  /// The function's, else where the program says that the operation was made.
  public var file: String?
  /// From 1.
  public var line: Int?
  /// The Swift module of the function, else of the class.
  public var module: String?

  /// What is not given is not known.
  public init(function: String? = nil, file: String? = nil, line: Int? = nil, module: String? = nil) {
    (self.function, self.file, self.line, self.module) = (function, file, line, module)
  }
}

/// The stacks of a trace. Each frame is stored once, with the one that called it: stacks that began alike share them.
public struct StackTable: Sendable, Equatable {
  /// By their numbers.
  public internal(set) var images: [UInt32: ImageRecord] = [:]
  private var frames: [FrameID: FrameRecord] = [:]
  private var symbols: [FrameRecord.Address: [SymbolRecord]] = [:]
  /// Modules whose code is the program's own, where somebody has said so; empty: all but the packages that it depends on.
  package var ownModules: Set<String> = []

  /// Nothing is known.
  public init() {}

  /// The frame with this number; nil: the trace does not say. O(1).
  public subscript(_ id: FrameID) -> FrameRecord? { frames[id] }

  /// Every address of a frame, once, with the first of its frames. In the order of the frames' numbers. O(n log n).
  public var addresses: [(frame: FrameID, address: FrameRecord.Address)] {
    var seen = Set<FrameRecord.Address>()
    return frames.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { id, frame in
      seen.insert(frame.address).inserted ? (id, frame.address) : nil
    }
  }

  /// A stack from its innermost frame to its outermost. O(depth); a cycle in a damaged trace ends.
  public func stack(_ innermost: FrameID?) -> [FrameID] {
    var result: [FrameID] = []
    var next = innermost
    while let id = next, let frame = frames[id], result.count < 1024 {
      result.append(id)
      next = frame.caller
    }
    return result
  }

  /// Whether any code has a name. O(1).
  package var hasNames: Bool { !symbols.isEmpty }

  /// The modules of all functions that have a name. O(symbols).
  package var modules: Set<String> { Set(symbols.values.lazy.joined().compactMap(\.module)) }

  /// What the code of a frame is called: the innermost of inlined functions first; empty: not known. O(1).
  public func symbols(of id: FrameID) -> [SymbolRecord] { frames[id].flatMap { symbols[$0.address] } ?? [] }

  /// The image of a frame; nil: not known. O(1).
  public func image(of id: FrameID) -> ImageRecord? { frames[id]?.address.image.flatMap { images[$0] } }

  /// The name of the file that a frame's code is from, or would be from had it not been linked into another; nil: not known. O(1).
  public func codeName(of id: FrameID) -> String? { frames[id]?.library?.name ?? image(of: id)?.name }

  /// The function that a frame's code is compiled into: of inlined ones the outermost. O(1).
  public func function(of id: FrameID?) -> SymbolRecord? { id.flatMap { symbols(of: $0).last } }

  /// The one with the highest number; nil: there is none. O(n).
  var lastFrame: FrameID? { frames.keys.max { $0.rawValue < $1.rawValue } }

  mutating func define(_ frame: FrameRecord, as id: FrameID) { frames[id] = frame }

  mutating func remove(_ ids: Set<UInt32>) { for id in ids { frames[FrameID(id)] = nil } }

  mutating func define(_ names: [SymbolRecord], of id: FrameID) {
    guard let address = frames[id]?.address, !names.isEmpty else { return }
    symbols[address] = names
  }

  /// Where a frame's code is, without symbols: `photos+0x4420`; nil: the trace does not say. O(1).
  public func text(of id: FrameID) -> String? {
    guard let frame = frames[id] else { return nil }
    return (image(of: id)?.name ?? "") + "+0x" + String(frame.address.offset, radix: 16)
  }
}
