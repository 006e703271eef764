import Foundation

/// What a ring's bytes hold: read by itself and not by OpTrace's reader, chunk by chunk and record by record as
/// Documentation/format.md has them. For files that nobody writes any more. Times are on the system's monotonic clock.
struct RingBytes {
  /// Of the file.
  private(set) var capacity = 0
  private(set) var lost: UInt64 = 0
  /// Replaced by newer ones.
  private(set) var overwritten: UInt64 = 0
  /// From when on the trace says that it has everything; nil: it does not say.
  private(set) var completeSince: UInt64?
  /// Of records in chunks of definitions, and in those of carried ones.
  private(set) var definitions = 0
  private(set) var carried = 0
  /// Of records in chunks of events.
  private(set) var events = 0
  /// When, and how many bytes in all up to and with that.
  private var moments: [(time: UInt64, bytes: Int)] = []
  private var startTicks: UInt64 = 0
  private var startTime: UInt64 = 0
  private var ticksPerNanosecond = 1.0

  init?(path: String) {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else { return nil }
    self.init(data)
  }

  private init?(_ data: Data) {
    let bytes = Bytes(data)
    guard data.count >= 1024, bytes.u32(16) == 0x0102_0304 else { return nil }
    capacity = data.count
    startTicks = bytes.u64(64)
    startTime = bytes.u64(72)
    let (ticks, time) = (bytes.u64(528), bytes.u64(536))
    if bytes.u32(36) == 1 {
      ticksPerNanosecond = Double(bytes.u64(88)) / 1e9
      // Better, where it has run for a while.
      if time > startTime + 1_000_000_000, ticks > startTicks {
        ticksPerNanosecond = Double(ticks - startTicks) / Double(time - startTime)
      }
    }
    guard ticksPerNanosecond > 0 else { return nil }
    for reason in 0..<10 { lost += bytes.u64(560 + reason * 8) }
    overwritten = bytes.u64(640)
    let since = bytes.u64(680)
    completeSince = since == 0 ? nil : self.time(since)
    var offset = Int(bytes.u32(12))
    while offset + 64 <= data.count {
      let size = Int(bytes.u32(offset + 4))
      guard bytes.u32(offset) == 0x4B43_504F, size >= 64, size % 64 == 0 else {
        offset += 64
        continue
      }
      add(bytes, at: offset, size: min(size, data.count - offset))
      offset += size
    }
    moments.sort { $0.time < $1.time }
    for index in moments.indices.dropFirst() { moments[index].bytes += moments[index - 1].bytes }
  }

  /// Everything that was ever written.
  var written: UInt64 { overwritten + UInt64(events + definitions + carried) }

  /// Bytes of event records that are not older than this.
  func bytes(since time: UInt64) -> Int {
    var (low, high) = (0, moments.count)
    while low < high {
      let middle = (low + high) / 2
      if moments[middle].time < time { low = middle + 1 } else { high = middle }
    }
    return events - (low == 0 ? 0 : moments[low - 1].bytes)
  }

  private func time(_ ticks: UInt64) -> UInt64 {
    let passed = Double(Int64(bitPattern: ticks &- startTicks)) / ticksPerNanosecond
    return UInt64(max(0, Double(startTime) + passed))
  }

  private mutating func add(_ bytes: Bytes, at offset: Int, size: Int) {
    let (kind, fill) = (bytes.u32(offset + 28), Int(bytes.u32(offset + 32)))
    guard fill <= size - 64 else { return }
    switch kind {
    case 1: definitions += fill
    case 2: carried += fill
    default:
      var ticks = bytes.u64(offset + 16)
      var at = offset + 64
      let end = at + fill
      while at + 8 <= end {
        let word = bytes.u64(at)
        var count = Int(word >> 6 & 3) + 1
        if count == 4 { count = at + 16 <= end ? Int(bytes.u64(at + 8) & 0xFFFF) : 0 }
        guard count > 0, at + count * 8 <= end else { break }
        ticks &+= word >> 8 & 0xFF_FFFF
        if word & 0xFF == 0x40 { ticks = bytes.u64(at + 8) }
        // One moment for all of a chunk's records in the same 4 µs.
        let time = time(ticks)
        if let last = moments.last, time &- last.time < 4096 {
          moments[moments.count - 1].bytes += count * 8
        } else {
          moments.append((time, count * 8))
        }
        events += count * 8
        at += count * 8
      }
    }
  }
}

/// Little-endian numbers; 0 behind the end.
private struct Bytes {
  private let data: Data
  init(_ data: Data) { self.data = data }

  func u32(_ offset: Int) -> UInt32 { load(offset) }
  func u64(_ offset: Int) -> UInt64 { load(offset) }

  private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= data.count else { return 0 }
    return data.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }
}
