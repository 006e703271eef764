// A trace may have millions of operations, so what they share is stored once, and a moment takes only 12 bytes.

/// A moment on a thread, or none.
@usableFromInline struct CompactStamp: Hashable, Sendable {
  @usableFromInline var low: UInt32
  @usableFromInline var high: UInt32
  @usableFromInline var thread: UInt32

  static let none = CompactStamp(nil)

  init(_ stamp: Stamp?) {
    let time = CompactTime(stamp?.time)
    (low, high) = (time.low, time.high)
    thread = stamp?.thread.rawValue ?? 0
  }

  @inlinable var stamp: Stamp? { CompactTime(low: low, high: high).time.map { Stamp($0, ThreadID(thread)) } }
}

/// A time, or none, stored in two halves so that it needs no alignment and no padding.
@usableFromInline struct CompactTime: Hashable, Sendable {
  @usableFromInline var low: UInt32
  @usableFromInline var high: UInt32

  @inlinable init(low: UInt32, high: UInt32) {
    self.low = low
    self.high = high
  }

  init(_ time: Nanoseconds?) {
    let bits = UInt64(bitPattern: time ?? Self.nothing)
    low = UInt32(truncatingIfNeeded: bits)
    high = UInt32(truncatingIfNeeded: bits >> 32)
  }

  @inlinable var time: Nanoseconds? {
    let time = Nanoseconds(bitPattern: UInt64(high) << 32 | UInt64(low))
    return time == Self.nothing ? nil : time
  }

  /// A value that no time of a trace has: these are within ``TimeBounds``.
  @usableFromInline static var nothing: Nanoseconds { Nanoseconds.min }
}

/// The boolean properties of an operation, in one byte.
@usableFromInline struct OperationTraits: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

  @usableFromInline static var hasQueue: Self { Self(rawValue: 1) }
  @usableFromInline static var isAsynchronous: Self { Self(rawValue: 2) }
  @usableFromInline static var overridesReady: Self { Self(rawValue: 4) }
  @usableFromInline static var isBarrier: Self { Self(rawValue: 8) }

  subscript(trait: Self) -> Bool {
    get { contains(trait) }
    set { if newValue { insert(trait) } else { remove(trait) } }
  }
}

/// A text that many operations share: their source location.
final class SharedText: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

/// What all operations of a class, or all that run the same code, share.
@usableFromInline final class SharedClass: Sendable {
  @usableFromInline let name: String
  let module: String?
  let code: FrameID?
  let function: SymbolRecord?
  /// What similar operations are grouped by.
  @usableFromInline let kind: String

  init(
    _ name: String, module: String? = nil, code: FrameID? = nil, function: SymbolRecord? = nil, codeText: String? = nil
  ) {
    (self.name, self.module, self.code, self.function) = (name, module, code, function)
    kind = function?.shortName ?? codeText.map { "\(name) at \($0)" } ?? name
  }
}
