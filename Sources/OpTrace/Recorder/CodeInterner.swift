internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Gives code that the program runs a number, and writes once where it is: the frame, and the image that it lies in. With
/// those that called it, a frame stands for a stack.
///
/// The slow path: it locks, and happens once for each place of the program. The numbers are cached in `COpTrace`.
/// Sendable: `images` and `count` are only touched under `lock`.
final class CodeInterner: @unchecked Sendable {
  private let core: OpaquePointer
  private let interner: Interner
  private let lock = NSLock()
  private var images: [UInt64: (id: UInt32, end: UInt64, bias: UInt64)] = [:]
  private var frames: [Key: UInt32] = [:]

  private struct Key: Hashable {
    var address: UInt64
    var caller: UInt32
    var traits: UInt64
  }

  init(core: OpaquePointer, interner: Interner) {
    self.core = core
    self.interner = interner
  }

  /// The number of a function, by its address.
  func id(of function: UInt) -> UInt32 { frame(at: UInt64(function), traits: 0, caller: 0) }

  private func frame(at address: UInt64, traits: UInt64, caller: UInt32) -> UInt32 {
    guard address != 0 else { return 0 }
    // Classes and source lines have smaller second keys.
    let key = 1 << 63 | traits << 32 | UInt64(caller)
    let known = optrace_cache_find(core, address, key)
    if known != 0 { return known }
    let id = lock.withLock { define(Key(address: address, caller: caller, traits: traits)) }
    if id != 0 { optrace_cache_add(core, address, key, id) }
    return id
  }

  /// 0 when there is no room, which is counted as a loss; and of a function that no image has.
  private func define(_ key: Key) -> UInt32 {
    if let id = frames[key] { return id }
    let image = image(of: key.address)
    if image == nil, key.traits == 0 { return 0 }
    let offset = key.address &- (image?.bias ?? 0)
    guard interner.reserve(24) else { return 0 }
    let id = UInt32(clamping: frames.count + 1)
    let place = UInt64(image?.id ?? 0) | (offset & (1 << 47 - 1)) << 16
    guard optrace_define(core, EventKind.frame.rawValue, id, place, UInt64(key.caller) | key.traits << 32, nil, 0)
    else {
      return 0
    }
    frames[key] = id
    return id
  }

  private func image(of address: UInt64) -> (id: UInt32, end: UInt64, bias: UInt64)? {
    if let known = images.first(where: { $0.key <= address && address < $0.value.end }) { return known.value }
    var found = optrace_image()
    guard images.count < Int(UInt16.max), optrace_image_find(address, &found) else { return nil }
    let build = withUnsafeBytes(of: found.build_id) { bytes in
      bytes.prefix(Int(found.build_id_size)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let buildID = build.isEmpty ? 0 : interner.id(of: build)
    let length = withUnsafeBytes(of: found.path) { $0.firstIndex(of: 0) ?? $0.count }
    guard interner.reserve(length + 32) else { return nil }
    let id = UInt32(images.count + 1)
    let pages = (found.base >> 12) & (1 << 36 - 1) | ((found.size + 0xFFF) >> 12) << 36
    let isWritten = withUnsafeBytes(of: found.path) { path in
      optrace_define(
        core, EventKind.image.rawValue, id, UInt64(buildID) << 32, pages,
        path.baseAddress?.assumingMemoryBound(to: UInt8.self), length)
    }
    guard isWritten else { return nil }
    let image = (id: id, end: found.base + found.size, bias: found.bias)
    images[found.base] = image
    return image
  }
}
