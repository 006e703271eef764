public import OpTraceModel

/// A trace with sampled allocations, of which each was sampled if the interval is 1.
public struct MemoryTrace: Sendable {
  /// What it is written into: stacks, and work beside allocations.
  public var sampled = SampledTrace()
  private var last = 0

  /// Times are milliseconds.
  public init(interval: Int = 1) {
    sampled.unit = .milliseconds
    sampled.add("0 t0 memory interval=\(interval) allocator=1 room=65536")
  }

  /// The block's number.
  @discardableResult
  public mutating func allocate(
    _ size: Int, at time: Int, in stack: String, thread: Int = 2, type: String? = nil
  ) -> Int {
    last += 1
    sampled.add(
      "\(time) t9 allocated \(stack) size=\(size) thread=t\(thread) number=a\(last)\(type == nil ? "" : " object")")
    if let type { sampled.add("\(time) t9 allocation-class a\(last) class=\"\(type)\"") }
    return last
  }

  public mutating func free(_ block: Int, at time: Int) { sampled.add("\(time) t9 freed a\(block)") }

  /// In KiB.
  public mutating func look(at time: Int, resident: Int, anonymous: Int, lost: Int = 0) {
    sampled.add("\(time) t9 memory-use resident=\(resident) anonymous=\(anonymous) peak=\(resident) lost=\(lost)")
  }

  /// The text form, until this time.
  public func text(to end: Int = 10_000) -> String {
    var copy = sampled
    copy.add("\(end) t9 mark #0 \"end\"")
    return copy.text
  }

  public func trace(to end: Int = 10_000) throws -> Trace { TraceBuilder.build(try TraceText.parse(text(to: end))) }
}
