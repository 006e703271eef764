/// A file whose code was loaded in the process: the program, or a library.
public struct ImageRecord: Sendable, Equatable {
  /// The path that the system reported.
  public let path: String
  /// Hexadecimal; nil: the file has none.
  public var buildID: String?
  /// The address at which it began in memory.
  public var base: UInt64
  /// The size in memory, in bytes.
  public var size: UInt64

  /// The last part of its path.
  public let name: String
  /// Whether it belongs to the system, Swift or OpTrace, not to the program. Its folder decides; if Swift's runtime is
  /// in the program's folder, its name. The recorder has the same rule (`stacks/modules.c`).
  public let isSystem: Bool

  package init(path: String, buildID: String?, base: UInt64, size: UInt64) {
    (self.path, self.buildID, self.base, self.size) = (path, buildID, base, size)
    // Computed once, because every frame of every stack asks for it.
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
  /// libdispatch's Swift interface.
  case dispatchOverlay = 3
  /// Foundation.
  case foundation = 4
  /// Another library of Swift's, or one that these depend on.
  case other = 5

  /// The name of the library's file if it were not linked in.
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

/// Code that was on a thread's stack, and its caller.
public struct FrameRecord: Sendable, Equatable {
  /// The location of code: the image, and an address in it (without an image, in memory).
  public struct Address: Sendable, Hashable {
    /// The image's number in the trace.
    public var image: UInt32?
    /// The offset in the image's file.
    public var offset: UInt64
    /// Whether it is a return address, which follows a call; else it is where the thread was, or where a function
    /// begins.
    public var returns: Bool
  }

  /// Where the code is.
  public var address: Address
  /// The frame outside of it; nil: the outermost.
  public var caller: FrameID?
  /// Whether it was found without an unwind rule of the compiler.
  public var isGuessed: Bool
  /// Whether its callers are not known, because only a part of the stack was read.
  public var isCut = false
  /// The library that the code is from, if that is linked into its image; nil: the image's own code.
  public var library: LinkedLibrary? = nil
}

/// The name of code, from the image's file. One address has several if functions are inlined.
public struct SymbolRecord: Sendable, Equatable {
  /// Shared, because each operation, block and task has a copy of the record, and records are copied often.
  private final class Names: Sendable, Equatable {
    let function: String
    let shortName: String
    let module: String?
    let file: String?
    let line: Int?
    let isLinkedIn: Bool

    init(_ function: String, _ shortName: String, _ module: String?, _ file: String?, _ line: Int?) {
      (self.function, self.shortName, self.module, self.file, self.line) = (function, shortName, module, file, line)
      // The recorder's hooks have names that begin with this prefix.
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

  /// The full name, as the language writes it.
  public var function: String { names.function }
  /// The displayed name: `closure #1 in loadUsers(_:)`.
  public var shortName: String { names.shortName }
  /// The Swift module that it is from.
  public var module: String? { names.module }
  /// The source file; nil: not known, like the line.
  public var file: String? { names.file }
  /// The line, from 1.
  public var line: Int? { names.line }
  /// Whether it is the recorder's code, or the C library's first function: both are linked into the program's own file.
  /// Stored, because every frame of every stack asks for it.
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

/// Where code is in the source: the code of an operation, or the place of a call. Nil means not known.
public struct CodeLocation: Sendable, Hashable {
  /// The displayed name of the function, if it is not a method of the operation's class.
  public var function: String?
  /// The file of the function, else the one in which the program says that the operation was created.
  public var file: String?
  /// From 1.
  public var line: Int?
  /// The Swift module of the function, else of the class.
  public var module: String?

  /// Omitted values are not known.
  public init(function: String? = nil, file: String? = nil, line: Int? = nil, module: String? = nil) {
    (self.function, self.file, self.line, self.module) = (function, file, line, module)
  }
}

/// The stacks of a trace. Each frame is stored once, with its caller, so stacks with the same outer frames share these.
public struct StackTable: Sendable, Equatable {
  /// The images by their numbers.
  public internal(set) var images: [UInt32: ImageRecord] = [:]
  private var frames: [FrameID: FrameRecord] = [:]
  private var symbols: [FrameRecord.Address: [SymbolRecord]] = [:]
  /// Modules that count as the program's own code, if the user has named any; empty: all except those of packages that
  /// it depends on.
  package var ownModules: Set<String> = []

  /// An empty table.
  public init() {}

  /// The frame with this number; nil: the trace does not say. O(1).
  public subscript(_ id: FrameID) -> FrameRecord? { frames[id] }

  /// The distinct addresses of frames, each with the first of its frames, in the order of the frames' numbers. O(n log
  /// n).
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

  /// The names of a frame's code: the innermost of inlined functions first; empty: not known. O(1).
  public func symbols(of id: FrameID) -> [SymbolRecord] { frames[id].flatMap { symbols[$0.address] } ?? [] }

  /// The image of a frame; nil: not known. O(1).
  public func image(of id: FrameID) -> ImageRecord? { frames[id]?.address.image.flatMap { images[$0] } }

  /// The name of the file that a frame's code is from, or would be from if it were not linked into another; nil: not
  /// known. O(1).
  public func codeName(of id: FrameID) -> String? { frames[id]?.library?.name ?? image(of: id)?.name }

  /// The function that a frame's code is compiled into: of inlined ones the outermost. O(1).
  public func function(of id: FrameID?) -> SymbolRecord? { id.flatMap { symbols(of: $0).last } }

  /// The frame with the highest number; nil: there is none. O(n).
  var lastFrame: FrameID? { frames.keys.max { $0.rawValue < $1.rawValue } }

  mutating func define(_ frame: FrameRecord, as id: FrameID) { frames[id] = frame }

  mutating func remove(_ ids: Set<UInt32>) { for id in ids { frames[FrameID(id)] = nil } }

  mutating func define(_ names: [SymbolRecord], of id: FrameID) {
    guard let address = frames[id]?.address, !names.isEmpty else { return }
    symbols[address] = names
  }

  /// The address of a frame's code, without symbols: `photos+0x4420`; nil: not known. O(1).
  public func text(of id: FrameID) -> String? {
    guard let frame = frames[id] else { return nil }
    return (image(of: id)?.name ?? "") + "+0x" + String(frame.address.offset, radix: 16)
  }
}
