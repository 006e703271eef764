internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Gives code of the program a number, and writes once where it is: its frame, and the image that contains it. Together
/// with its callers a frame stands for a stack.
///
/// The slow path: it locks, and runs once for each address. The numbers are cached in `COpTrace`.
/// Sendable: `images` and `frames` are only touched under `lock`.
final class CodeInterner: @unchecked Sendable {
  private let core: OpaquePointer
  private let interner: Interner
  private let lock = Lock()
  /// By base address.
  private var images: [UInt64: Image] = [:]
  private var frames: [Key: UInt32] = [:]

  private struct Image {
    var id: UInt32
    var end: UInt64
    var bias: UInt64
  }

  private struct Key: Hashable {
    var address: UInt64
    var caller: UInt32 = 0
    var traits: Traits = []
  }

  private struct Traits: OptionSet, Hashable {
    let rawValue: UInt8
    /// It is on a stack: the address behind a call, or behind the instruction that called the system.
    static let returns = Traits(rawValue: 1)
    /// Found without a compiler's unwind rule.
    static let guessed = Traits(rawValue: 2)
  }

  init(core: OpaquePointer, interner: Interner) {
    self.core = core
    self.interner = interner
  }

  /// The number of a function, by its address; 0: it is in no image, or there is no room.
  func id(of function: UInt) -> UInt32 {
    guard function != 0 else { return 0 }
    // Classes and source locations have smaller second keys.
    let key: UInt64 = 1 << 63
    let known = optrace_cache_find(core, UInt64(function), key)
    if known != 0 { return known }
    let id = lock.withLock { define(Key(address: UInt64(function))) }
    if id != 0 { optrace_cache_add(core, UInt64(function), key, id) }
    return id
  }

  /// The number of a stack, given innermost address first: that of its innermost frame. 0: there is no room, which is
  /// counted as a loss.
  func id(ofStack addresses: UnsafeBufferPointer<UInt64>, guessedFrom: Int) -> UInt32 {
    lock.withLock {
      var caller: UInt32 = 0
      for index in addresses.indices.reversed() {
        var traits = Traits.returns
        if index >= guessedFrom { traits.insert(.guessed) }
        caller = define(Key(address: addresses[index], caller: caller, traits: traits))
        if caller == 0 { return 0 }
      }
      return caller
    }
  }

  /// 0: there is no room, which is counted as a loss; or a function is in no image.
  private func define(_ key: Key) -> UInt32 {
    if let id = frames[key] { return id }
    let image = image(of: key.traits.contains(.returns) ? key.address - 1 : key.address)
    // A stack may contain code that was generated at run time.
    if image == nil, !key.traits.contains(.returns) { return 0 }
    let offset = key.address &- (image?.bias ?? 0)
    guard interner.reserve(24) else { return 0 }
    let id = UInt32(clamping: frames.count + 1)
    let fields = EventFields.Frame(
      image: image?.id ?? 0, offset: offset, guessed: key.traits.contains(.guessed), caller: key.caller,
      returns: key.traits.contains(.returns),
      library: UInt8(optrace_library_at(key.traits.contains(.returns) ? key.address - 1 : key.address)),
      cut: false)
    guard optrace_define(core, EventKind.frame.rawValue, id, fields.word1, fields.word2, nil, 0) else { return 0 }
    frames[key] = id
    return id
  }

  private func image(of address: UInt64) -> Image? {
    if let known = images.first(where: { $0.key <= address && address < $0.value.end }) { return known.value }
    guard images.count < Int(UInt16.max) else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(optrace_longest_path)) { path in
      var found = optrace_image()
      return optrace_image_find(address, &found, path.baseAddress) ? define(found, path) : nil
    }
  }

  private func define(_ found: optrace_image, _ path: UnsafeMutableBufferPointer<UInt8>) -> Image? {
    let build = withUnsafeBytes(of: found.build_id) { bytes in
      bytes.prefix(Int(found.build_id_size)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let buildID = build.isEmpty ? 0 : interner.id(of: build)
    let length = path.firstIndex(of: 0) ?? path.count
    guard interner.reserve(length + 32) else { return nil }
    let id = UInt32(images.count + 1)
    let fields = EventFields.Image(
      build: buildID, page: found.base / Layout.imagePage,
      pages: UInt32(truncatingIfNeeded: (found.size + Layout.imagePage - 1) / Layout.imagePage))
    let isWritten = optrace_define(
      core, EventKind.image.rawValue, id, fields.word1, fields.word2, path.baseAddress, length)
    guard isWritten else { return nil }
    let image = Image(id: id, end: found.base + found.size, bias: found.bias)
    images[found.base] = image
    return image
  }
}

extension CodeInterner {
  /// Makes the recorder walk stacks. The interner is kept for good, as the recorder's memory is: a thread may describe
  /// a stack late.
  func describeStacks(_ which: TraceRecorder.Configuration.Stacks) {
    Self.lateOnes.withLock { $0.append(self) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    optrace_recorder_use_stacks(core, which.coreValue, context) { context, addresses, count, guessed in
      guard let context, let addresses else { return 0 }
      return Unmanaged<CodeInterner>.fromOpaque(context).takeUnretainedValue()
        .id(ofStack: UnsafeBufferPointer(start: addresses, count: count), guessedFrom: guessed)
    }
  }

  private static let lateOnes = LockedList()

  /// Sendable: `all` is only touched under `lock`.
  private final class LockedList: @unchecked Sendable {
    private let lock = Lock()
    private var all: [CodeInterner] = []
    func withLock(_ body: (inout [CodeInterner]) -> Void) { lock.withLock { body(&all) } }
  }
}
