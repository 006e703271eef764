/// Takes the bytes of an export, piece by piece and in order; what it throws ends the export. No export keeps it when it
/// has returned.
public typealias ByteSink = (UnsafeRawBufferPointer) throws -> Void

/// Collects bytes and hands them on in pieces of 64 KiB, so that an export of any size needs the same memory.
///
/// Numbers and strings are formatted into the buffer without an allocation. A sink's error is kept and thrown by
/// ``finish()`` and ``check()``: the methods that are called millions of times need not throw.
///
/// What is called for every byte can be inlined into the exporters' modules.
package final class ByteWriter {
  @inlinable static var capacity: Int { 1 << 16 }

  @usableFromInline let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  /// Unchecked: it is read and set for every byte, and nothing that could come back here runs meanwhile.
  @exclusivity(unchecked) @usableFromInline var used = 0
  private var sink: ByteSink
  private var failure: (any Error)?
  package private(set) var handedOn = 0

  package init(_ sink: @escaping ByteSink) { self.sink = sink }

  /// Hands on all that `body` writes; its writer is of no use afterwards. Throws what `sink` or `body` throws.
  package static func write<Result>(
    to sink: ByteSink, _ body: (ByteWriter) throws -> Result
  ) throws -> Result {
    try withoutActuallyEscaping(sink) { sink in
      let writer = ByteWriter(sink)
      defer { writer.sink = { _ in } }
      let result = try body(writer)
      try writer.finish()
      return result
    }
  }

  deinit { buffer.deallocate() }

  /// Throws what the sink threw, if it did.
  package func check() throws {
    if let failure { throw failure }
  }

  /// Hands on the rest.
  package func finish() throws {
    flush()
    try check()
  }

  @usableFromInline
  func flush() {
    guard used > 0 else { return }
    if failure == nil {
      do { try sink(UnsafeRawBufferPointer(rebasing: buffer[..<used])) } catch { failure = error }
      handedOn += used
    }
    used = 0
  }

  @inlinable @inline(__always)
  func reserve(_ count: Int) {
    if used + count > Self.capacity { flush() }
  }

  @inlinable @inline(__always)
  package func byte(_ value: UInt8) {
    reserve(1)
    buffer[used] = value
    used += 1
  }

  @inlinable @inline(__always)
  package func text(_ literal: StaticString) {
    let count = literal.utf8CodeUnitCount
    reserve(count)
    UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
      .copyMemory(from: UnsafeRawBufferPointer(start: literal.utf8Start, count: count))
    used += count
  }

  /// Not an overload of ``text(_:)``: literals would prefer it, and take the slow way.
  package func string(_ string: String) {
    var string = string
    string.withUTF8 { copy($0[...]) }
  }

  package func bytes(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { copy($0[...]) }
  }

  package func bytes(_ bytes: UnsafeRawBufferPointer) {
    copy(bytes.assumingMemoryBound(to: UInt8.self)[...])
  }

  /// `count` bytes, at most ``capacity``, all of which `body` writes.
  @inlinable
  package func bytes(_ count: Int, by body: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(count)
    body(UnsafeMutableRawBufferPointer(rebasing: buffer[used..<used + count]))
    used += count
  }

  /// Decimal digits.
  package func number(_ value: Int) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    number(value.magnitude)
  }

  package func number(_ value: UInt) {
    reserve(20)
    var position = used + Self.digits(of: value)
    used = position
    var rest = value
    repeat {
      position -= 1
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      buffer[position] = UInt8(truncatingIfNeeded: remainder) &+ UInt8(ascii: "0")
      rest = quotient
    } while rest > 0
  }

  /// A whole number of thousandths as `123.456`: nanoseconds as the microseconds of a trace. Exact at any size.
  package func thousandths(_ value: Int64) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1000)
    number(UInt(whole))
    reserve(4)
    buffer[used] = UInt8(ascii: ".")
    buffer[used + 1] = UInt8(truncatingIfNeeded: rest / 100) &+ UInt8(ascii: "0")
    buffer[used + 2] = UInt8(truncatingIfNeeded: rest / 10 % 10) &+ UInt8(ascii: "0")
    buffer[used + 3] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
    used += 4
  }

  private static func digits(of value: UInt) -> Int {
    var count = 1
    var rest = value
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }

  // MARK: JSON

  /// A JSON string with its quotes. Only what JSON demands is escaped, since some viewers show escapes unchanged.
  /// Control characters, which no viewer shows, and those that turn the direction of writing become U+FFFD, as invalid
  /// UTF-8 has on the way into a Swift string.
  /// The second of two number signs is written by its number: see ``TerminalText/harmless(_:)``.
  /// A backslash at the end is written by its number: Perfetto's engine takes the second of `\\"` as an escape of the
  /// quote, and then rejects the whole file.
  package func json(_ string: String) {
    byte(UInt8(ascii: "\""))
    jsonPart(string)
    byte(UInt8(ascii: "\""))
  }

  /// The inside of a JSON string.
  func jsonPart(_ string: String) {
    let done: Void? = string.utf8.withContiguousStorageIfAvailable { jsonBytes($0) }
    if done == nil { Array(string.utf8).withUnsafeBufferPointer { jsonBytes($0) } }
  }

  private func jsonBytes(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Runs without a special byte are copied whole.
    var start = 0
    var index = 0
    while index < bytes.count {
      let value = bytes[index]
      guard Self.mayBeSpecial(value) else {
        index += 1
        continue
      }
      // U+0080 to U+009F are C2 80 to C2 9F; U+202A to U+202E and U+2066 to U+2069 begin with E2.
      var length = 1
      if value == UInt8(ascii: "#") {
        // `##[` is a command to services that run jobs, anywhere in a line.
        guard Self.endsPair(bytes, index) else {
          index += length
          continue
        }
      } else if value == 0xC2 {
        length = 2
        let isControl = index + 1 < bytes.count && bytes[index + 1] < 0xA0
        guard isControl else {
          index += length
          continue
        }
      } else if value == 0xE2 {
        length = 3
        guard index + 2 < bytes.count, Self.turnsWriting(bytes[index + 1], bytes[index + 2]) else {
          index += length
          continue
        }
      }
      copy(bytes[start..<index])
      if value == UInt8(ascii: "\\"), index + 1 == bytes.count {
        text("\\u005c")
      } else if value == UInt8(ascii: "#") {
        text("\\u0023")
      } else if value == UInt8(ascii: "\"") || value == UInt8(ascii: "\\") {
        byte(UInt8(ascii: "\\"))
        byte(value)
      } else {
        text("\u{FFFD}")
      }
      index += length
      start = index
    }
    copy(bytes[min(start, bytes.count)...])
  }

  @inline(__always)
  private static func mayBeSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "\\") || byte == 0x7F
      || byte == 0xC2
      || byte == 0xE2
  }

  /// Whether the number sign at `index` follows another one. Comparisons by a language's rules ignore characters without a
  /// width, none of which is ASCII.
  @inline(__always)
  static func endsPair(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    let farthest = 16
    var before = index - 1
    while before >= 0, bytes[before] >= 0x80, index - before < farthest { before -= 1 }
    return before >= 0 && bytes[before] == UInt8(ascii: "#")
  }

  /// The bytes after E2 of the characters of ``TextEscaping/turnsWriting(_:)``.
  @inline(__always)
  private static func turnsWriting(_ second: UInt8, _ third: UInt8) -> Bool {
    second == 0x80 ? (0xAA...0xAE).contains(third) : second == 0x81 && (0xA6...0xA9).contains(third)
  }

  func copy(_ slice: Slice<UnsafeBufferPointer<UInt8>>) {
    var rest = slice
    while !rest.isEmpty {
      if used == Self.capacity { flush() }
      let part = rest.prefix(Self.capacity - used)
      UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
        .copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: part)))
      used += part.count
      rest = rest.dropFirst(part.count)
    }
  }
}
