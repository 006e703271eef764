import COpTrace
import OpTraceFormat
import OpTraceModel
import OpTraceSymbols

/// Numbers for the images and frames of a snapshot, each of which is written once.
struct SnapshotFrames {
  private struct Key: Hashable {
    var address: UInt64
    var caller: UInt32
    var isGuessed: Bool
    var returns: Bool
  }

  private let modules: [Module]
  private let linked: LinkedCode
  private var images: [UInt64: UInt32] = [:]
  private var frames: [Key: UInt32] = [:]
  private let writer: ThreadID

  init(_ modules: [Module], _ writer: ThreadID) {
    (self.modules, self.writer) = (modules, writer)
    linked = LinkedCode(of: modules.program)
  }

  /// The innermost frame of a thread's stack; nil: it has none.
  mutating func stack(_ thread: SeenThread, _ events: inout TraceEvents) -> UInt32? {
    var caller: UInt32 = 0
    for (index, address) in thread.addresses.enumerated().reversed() {
      caller = frame(
        Key(
          address: address, caller: caller, isGuessed: index >= thread.guessedFrom, returns: true), &events)
    }
    return caller == 0 ? nil : caller
  }

  /// A stack of functions that go on one after another, innermost first, by their first addresses; nil: of none.
  mutating func stack(_ functions: [UInt64], _ events: inout TraceEvents) -> UInt32? {
    var caller: UInt32 = 0
    // What is looked up of a return address is the byte before it.
    for function in functions.reversed() {
      caller = frame(
        Key(address: function &+ 1, caller: caller, isGuessed: false, returns: true), &events)
    }
    return caller == 0 ? nil : caller
  }

  /// One return address.
  mutating func call(_ address: UInt64, _ events: inout TraceEvents) -> UInt32 {
    frame(Key(address: address, caller: 0, isGuessed: false, returns: true), &events)
  }

  /// A function, by its first address.
  mutating func function(at address: UInt64, _ events: inout TraceEvents) -> UInt32 {
    frame(Key(address: address, caller: 0, isGuessed: false, returns: false), &events)
  }

  private mutating func frame(_ key: Key, _ events: inout TraceEvents) -> UInt32 {
    if let known = frames[key] { return known }
    // A return address may be just behind its module, if the call is its last instruction.
    let module = modules.containing(key.returns ? key.address &- 1 : key.address)
    let image = module.map { number(of: $0, &events) } ?? 0
    let own = UInt32(frames.count + 1)
    frames[key] = own
    events.append(
      EventFields.Frame(
        image: image, offset: key.address &- (module?.bias ?? 0), guessed: key.isGuessed, caller: key.caller,
        returns: key.returns,
        library: module.map { linked.library(at: key.address &- $0.bias &- (key.returns ? 1 : 0), in: $0) } ?? 0,
        cut: false), of: own, at: 0, by: writer)
    return own
  }

  private mutating func number(of module: Module, _ events: inout TraceEvents) -> UInt32 {
    if let known = images[module.low] { return known }
    let number = UInt32(images.count + 1)
    images[module.low] = number
    let size = (module.high - module.low - 1) / 4096 + 1
    events.append(
      EventFields.Image(
        build: module.buildID.flatMap { events.intern($0) } ?? 0, page: module.low / 4096, pages: UInt32(clamping: size)
      ),
      of: number, at: 0, by: writer, text: module.path == "[vdso]" ? "" : module.path)
    return number
  }
}

/// Which code of the program belongs to libraries that are linked into its file, as the recorder tells them apart.
private final class LinkedCode {
  private let low: UInt64?
  private let linked: OpaquePointer?

  init(of program: Module?) {
    low = program?.low
    linked = program?.file.flatMap { optrace_linked_read($0.path) }
  }

  deinit { optrace_linked_free(linked) }

  /// The number that records of frames have; 0: the code is the program's own.
  func library(at offset: UInt64, in module: Module) -> UInt8 {
    guard let linked, module.low == low else { return 0 }
    return UInt8(truncatingIfNeeded: optrace_linked_library(linked, offset))
  }
}
