/// One direction of the transform: a writer takes a value and gives it back, a reader does not look at it and gives back the
/// one that was written.
protocol StreamCoder {
  mutating func kind(_ value: UInt8) -> UInt8
  mutating func number(_ value: UInt64, part: Int, _ kind: UInt8) -> UInt64
  mutating func bytes(_ bytes: UnsafeMutableRawBufferPointer)
}

/// A stream for each part of a record and each kind. They follow each other: first the runs, then the kinds of all records, then
/// part by part those of each kind; the plain bytes come last.
///
/// Numbers are in seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).
struct StreamWriter: StreamCoder {
  private var head: [UInt8] = []
  private var kinds: [UInt8] = []
  private var numbers = [[UInt8]](repeating: [], count: RecordTransform.parts << 8)
  private var plain: [UInt8] = []

  init(_ runs: [RecordRuns.Run]) {
    Self.append(UInt64(runs.count), to: &head)
    for run in runs {
      Self.append(UInt64(run.plain), to: &head)
      Self.append(UInt64(run.records), to: &head)
    }
  }

  mutating func kind(_ value: UInt8) -> UInt8 {
    kinds.append(value)
    return value
  }

  @inline(__always)
  mutating func number(_ value: UInt64, part: Int, _ kind: UInt8) -> UInt64 {
    Self.append(value, to: &numbers[part << 8 | Int(kind)])
    return value
  }

  mutating func bytes(_ bytes: UnsafeMutableRawBufferPointer) { plain.append(contentsOf: bytes) }

  consuming func finish() -> [UInt8] {
    var result = head + kinds
    for stream in numbers { result += stream }
    return result + plain
  }

  @inline(__always)
  private static func append(_ number: UInt64, to stream: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      stream.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    stream.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Takes out what ``StreamWriter`` has put in. Behind the end there are zeros, so it goes on without an error whatever the bytes are.
struct StreamReader: StreamCoder {
  let runs: [RecordRuns.Run]
  private let content: UnsafeRawBufferPointer
  private var nextKind: Int
  private var nextPlain: Int
  /// Offsets of the next numbers, by part and kind.
  private var next = [Int](repeating: 0, count: RecordTransform.parts << 8)

  /// The bytes must live as long as the reader.
  init(_ content: UnsafeRawBufferPointer) {
    self.content = content
    var offset = 0
    func length() -> Int { Int(clamping: Self.number(content, &offset)) }
    var runs: [RecordRuns.Run] = []
    var records = 0
    var left = length()
    while left > 0, offset < content.count {
      left -= 1
      let run = RecordRuns.Run(plain: length(), records: min(length(), content.count - records))
      records += run.records
      runs.append(run)
    }
    self.runs = runs
    nextKind = offset
    var counts = [Int](repeating: 0, count: 256)
    let end = min(content.count, offset + records)
    for kind in content[offset..<end] { counts[Int(kind)] += 1 }
    offset = end
    for part in 0..<RecordTransform.parts {
      for kind in UInt8.min...UInt8.max where part < RecordTransform.parts(of: kind) {
        next[part << 8 | Int(kind)] = offset
        for _ in 0..<counts[Int(kind)] { _ = Self.number(content, &offset) }
      }
    }
    nextPlain = offset
  }

  mutating func kind(_ value: UInt8) -> UInt8 {
    defer { nextKind += 1 }
    return nextKind < content.count ? content[nextKind] : 0
  }

  @inline(__always)
  mutating func number(_ value: UInt64, part: Int, _ kind: UInt8) -> UInt64 {
    Self.number(content, &next[part << 8 | Int(kind)])
  }

  mutating func bytes(_ bytes: UnsafeMutableRawBufferPointer) {
    let count = min(bytes.count, content.count - nextPlain)
    bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: content[nextPlain..<nextPlain + count]))
    nextPlain += count
  }

  @inline(__always)
  private static func number(_ content: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while offset < content.count {
      let byte = content[offset]
      offset += 1
      result |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    return result
  }
}
