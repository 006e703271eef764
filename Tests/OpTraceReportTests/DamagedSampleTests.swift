import Foundation
import TestSupport
import OpTraceAnalysis
import OpTraceGraph
import OpTraceTimeline
import OpTraceFormat
import OpTraceModel
import OpTraceText
import Testing

/// Sample traces in which bytes are changed, removed or doubled: readers report the damage, and read all
/// undamaged chunks.
@Suite struct DamagedSampleTests {
  static let samples: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Sample.folder.path)) ?? []
    return names.filter { $0.hasSuffix(".optrace") }.sorted()
  }()
  /// `OPTRACE_SEED` repeats a seed that a failure has printed. `.ci/full` uses a new one each time.
  static let seed = ProcessInfo.processInfo.environment["OPTRACE_SEED"].flatMap(Int.init) ?? 20_261_122

  @Test func thereAreSamples() { #expect(Self.samples.count >= 18) }

  @Test(arguments: samples) func damageIsReportedAndTheRestIsRead(_ name: String) throws {
    let sample = try Sample(name)
    // The seed includes the name, so that samples are damaged at different offsets.
    var generator = SeededGenerator(name.utf8.reduce(Self.seed) { $0 &* 31 &+ Int($1) })
    for round in 0..<30 {
      let damage = Damage.any(of: sample.bytes.count, &generator)
      let comment: Comment = "\(name), seed \(Self.seed), round \(round): \(damage)"
      let bytes = damage.applied(to: sample.bytes)
      guard bytes != sample.bytes else { continue }
      let events: TraceEvents
      do {
        events = try TraceReader.events(bytes: bytes)
      } catch {
        // Nothing can be read without the first bytes of the header.
        #expect(damage.first < Layout.Header.size, comment)
        continue
      }
      #expect(events.loss.isDamaged || sample.isPadding(damage), comment)
      #expect(events.count >= sample.eventCount(outOf: damage), comment)
      #expect(events.count <= sample.eventCount, comment)
      try runCommands(on: events, bytes, comment)
    }
  }

  /// Bytes of the header after the first eight, which identify the file.
  @Test func damageInTheHeaderLosesNoEvent() throws {
    let sample = try Sample("diamond.optrace")
    for offset in 8..<Layout.Header.size {
      for mask in [0x2A, 0xFF] as [UInt8] {
        let damage = Damage.flipped(at: offset, by: mask)
        let events = try TraceReader.events(bytes: damage.applied(to: sample.bytes))
        #expect(events.count == sample.eventCount, "\(damage)")
      }
    }
  }

  @Test(arguments: samples) func bytesAfterTheLastRecordAreNotDamage(_ name: String) throws {
    let sample = try Sample(name)
    let end = try #require(sample.chunks.last).used.upperBound
    // The records occur twice, the second time where no reader looks for them.
    let damage = Damage.doubled(end - 40..<end)
    let events = try TraceReader.events(bytes: damage.applied(to: sample.bytes))
    #expect(events.count == sample.eventCount)
    #expect(events.loss.isDamaged || sample.isPadding(damage))
  }

  private func runCommands(on events: TraceEvents, _ bytes: [UInt8], _ comment: Comment) throws {
    _ = TraceValidator.check(events)
    let text = TraceText.string(events)
    #expect(TraceText.string(try TraceText.parse(text)) == text, comment)
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace.loss == events.loss, comment)
    _ = Summary(of: trace)
    _ = DoctorText(DoctorReport(of: DoctorReport.Reading(trace))).text()
    for format in TimelineFormat.all { _ = try format.exporter(trace).write { _ in } }
    let picture = GraphPicture(of: trace)
    _ = DOTWriter(picture).text()
    _ = SVGWriter.text(picture, LayeredLayout.layout(picture))
  }
}

/// One change to a file.
private enum Damage: CustomStringConvertible {
  case flipped(at: Int, by: UInt8)
  case cut(from: Int)
  case removed(Range<Int>)
  /// These bytes occur a second time, directly after themselves.
  case doubled(Range<Int>)

  static func any(of count: Int, _ generator: inout SeededGenerator) -> Damage {
    let from = Int.random(in: 0..<count, using: &generator)
    let range = from..<Int.random(in: from + 1...min(count, from + 2000), using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .cut(from: from)
    case 1: return .removed(range)
    case 2: return .doubled(range)
    default: return .flipped(at: from, by: .random(in: 1...255, using: &generator))
    }
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .flipped(let offset, let mask): bytes[offset] ^= mask
    case .cut(let offset): bytes.removeSubrange(offset...)
    case .removed(let range): bytes.removeSubrange(range)
    case .doubled(let range): bytes.insert(contentsOf: bytes[range], at: range.upperBound)
    }
    return bytes
  }

  /// The offset of the first byte that differs.
  var first: Int {
    switch self {
    case .flipped(let offset, _): offset
    case .cut(let offset): offset
    case .removed(let range): range.lowerBound
    case .doubled(let range): range.upperBound
    }
  }

  /// Whether these bytes are unchanged, even if they have moved.
  func spares(_ bytes: Range<Int>) -> Bool {
    switch self {
    case .flipped(let offset, _): !bytes.contains(offset)
    case .cut(let offset): bytes.upperBound <= offset
    case .removed(let range): !bytes.overlaps(range)
    case .doubled(let range): bytes.upperBound <= range.upperBound || bytes.lowerBound >= range.upperBound
    }
  }

  var description: String {
    switch self {
    case .flipped(let offset, let mask): "byte \(offset) changed by \(mask)"
    case .cut(let offset): "cut from \(offset) on"
    case .removed(let range): "\(range) removed"
    case .doubled(let range): "\(range) there twice"
    }
  }
}

/// A sample, and the offsets of its events in the file.
private struct Sample {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../traces").standardized

  struct Chunk {
    /// With its header, without its padding.
    var used: Range<Int>
    var range: Range<Int>
    var events = 0
  }

  let bytes: [UInt8]
  private(set) var chunks: [Chunk] = []

  init(_ name: String) throws {
    bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    var offset = Layout.Header.size
    while offset < bytes.count {
      let size = number(at: offset + Layout.Chunk.byteCount), fill = number(at: offset + Layout.Chunk.fill)
      let used = offset..<offset + Layout.Chunk.size + fill
      chunks.append(Chunk(used: used, range: offset..<offset + size, events: countEvents(used)))
      offset += size
    }
    #expect(try TraceReader.events(bytes: bytes).count == eventCount)
  }

  var eventCount: Int { chunks.reduce(0) { $0 + $1.events } }

  /// The events of all undamaged chunks that a reader can find: after an undamaged
  /// header, and before the end that it names.
  func eventCount(outOf damage: Damage) -> Int {
    var inserted = 0
    switch damage {
    case .doubled(let range): inserted = range.count
    case .removed, .cut: inserted = 0
    case .flipped: return chunks.reduce(0) { $0 + (damage.spares($1.range) ? $1.events : 0) }
    }
    guard damage.first >= Layout.Header.size else { return 0 }
    return chunks.reduce(0) { sum, chunk in
      let isReached = chunk.range.upperBound <= damage.first || chunk.range.upperBound + inserted <= bytes.count
      return sum + (isReached && damage.spares(chunk.range) ? chunk.events : 0)
    }
  }

  /// Whether only bytes without a checksum have changed: the padding of a chunk, or zeros after the last one.
  func isPadding(_ damage: Damage) -> Bool {
    switch damage {
    case .flipped(let offset, _):
      return offset >= Layout.Header.size && !chunks.contains { $0.used.contains(offset) }
    case .doubled(let range):
      // The second copy is after the range. Zeros before the end may belong to the last record: then there are only
      // more zeros after it.
      return range.upperBound >= chunks.last?.used.upperBound ?? .max
        || bytes[range.lowerBound...].allSatisfy { $0 == 0 }
    default:
      return false
    }
  }

  private func number(at offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  /// The number of records, without the file's bookkeeping.
  private func countEvents(_ used: Range<Int>) -> Int {
    let isBookkeeping = EventSpec.column { $0?.part == .bookkeeping }
    var count = 0
    var offset = used.lowerBound + Layout.Chunk.size
    while offset < used.upperBound {
      if !isBookkeeping[Int(bytes[offset])] { count += 1 }
      switch bytes[offset] >> 6 {
      case 3: offset += 8 * (number(at: offset + 8) & 0xFFFF)
      case let size: offset += 8 * (Int(size) + 1)
      }
    }
    return count
  }
}
