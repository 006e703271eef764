// A trace may hold millions of operations: what they share stands once, and a moment takes 12 bytes.

/// A moment on a thread, or none.
@usableFromInline struct PackedStamp: Hashable, Sendable {
  @usableFromInline var low: UInt32
  @usableFromInline var high: UInt32
  @usableFromInline var thread: UInt32

  static let none = PackedStamp(nil)

  init(_ stamp: Stamp?) {
    let time = PackedTime(stamp?.time)
    (low, high) = (time.low, time.high)
    thread = stamp?.thread.rawValue ?? 0
  }

  @inlinable var stamp: Stamp? { PackedTime(low: low, high: high).time.map { Stamp($0, ThreadID(thread)) } }
}

/// A time, or none: in two halves, so that it takes its place anywhere without padding.
@usableFromInline struct PackedTime: Hashable, Sendable {
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

  /// No time of a trace: they end at ``ClockMap/bounds``.
  @usableFromInline static var nothing: Nanoseconds { Nanoseconds.min }
}

/// A text that many operations have: their class, their place in the source.
final class SharedText: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

/// What few operations have.
final class RareFacts: Sendable {
  struct Values: Hashable, Sendable {
    var addingSince = PackedStamp.none
    var finishSeen = PackedStamp.none
    var cancelRequested = PackedStamp.none
    var error: String?
  }

  let values: Values
  init(_ values: Values) { self.values = values }
}
