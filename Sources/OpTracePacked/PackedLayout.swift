import OpTraceFormat
import OpTraceModel

/// The layout of a packed trace. `Documentation/format.md` describes it in words.
enum PackedLayout {
  static let magic = Layout.packedMagic
  static let majorVersion: UInt16 = 2
  static let minorVersion: UInt16 = 0

  enum Header {
    static let size = 64
    static let majorVersion = 8
    static let minorVersion = 10
    static let headerSize = 12
    /// Bytes of the trace.
    static let length = 16
    static let checksum = 56
  }

  enum Block {
    static let size = 40
    static let magic: UInt32 = 0x424B_504F  // "OPKB"
    static let kind = 4
    /// The offset of its bytes in the trace, and how many they are.
    static let offset = 8
    static let length = 16
    /// Bytes behind this header, and how many liblzma makes of them.
    static let payload = 24
    static let streams = 28
    static let checksum = 32
  }

  enum BlockKind: UInt32 { case coded = 1, zeros = 2 }

  /// No payload of a coded block is larger than this.
  static let largestPayload = 2 * BlockCodec.longest
  /// What liblzma makes of a block that becomes so many bytes: a word of a record takes ten at most.
  static func largestStreams(of length: UInt64) -> UInt64 { 2 * length + 64 }
  /// The first block holds no more: the trace's header, without which nothing else of it can be read. It is at the
  /// end of the file, too.
  static let longestStart = Layout.Header.size
  /// A coded block is at least one part in so many of what it becomes, and all zeros of a file are at most so many: what
  /// a small file says can cost only so much.
  static let mostGain = 64
  static let mostZeros: UInt64 = 1 << 30

  /// What a file of so many bytes may become unless its reader says otherwise. What is recorded becomes a tenth to a twentieth of its
  /// size by packing, so this is enough for all but empty space.
  static func usualMost(from packed: UInt64) -> UInt64 {
    let (product, overflows) = packed.multipliedReportingOverflow(by: 32)
    return overflows ? .max : product.addingReportingOverflow(64 << 20).overflow ? .max : product + (64 << 20)
  }

  /// What so many packed bytes can become at all.
  static func most(from packed: UInt64) -> UInt64 {
    let (product, overflows) = packed.multipliedReportingOverflow(by: UInt64(mostGain))
    return overflows ? .max : product.addingReportingOverflow(mostZeros).overflow ? .max : product + mostZeros
  }
}

/// The header of a block.
struct PackedBlock {
  var kind: PackedLayout.BlockKind
  /// The offset of its bytes in the trace.
  var offset: UInt64
  var length: UInt64
  var payload: Int
  var streams: Int
  /// The offset of its header in the packed file.
  var fileOffset: UInt64 = 0

  var end: UInt64 { offset + length }
  var payloadOffset: UInt64 { fileOffset + UInt64(PackedLayout.Block.size) }
  var next: UInt64 { payloadOffset + UInt64(payload) }

  init(kind: PackedLayout.BlockKind, offset: UInt64, length: UInt64, payload: Int = 0, streams: Int = 0) {
    self.kind = kind
    self.offset = offset
    self.length = length
    self.payload = payload
    self.streams = streams
  }

  /// Nil when the bytes are no header of a block, or one that says what no writer says.
  init?(_ bytes: [UInt8], at fileOffset: UInt64) {
    typealias Field = PackedLayout.Block
    guard bytes.count == Field.size, bytes.number(at: 0) as UInt32 == Field.magic,
      let kind = PackedLayout.BlockKind(rawValue: bytes.number(at: Field.kind))
    else { return nil }
    self.kind = kind
    self.fileOffset = fileOffset
    offset = bytes.number(at: Field.offset)
    length = bytes.number(at: Field.length)
    payload = Int(bytes.number(at: Field.payload) as UInt32)
    streams = Int(bytes.number(at: Field.streams) as UInt32)
    guard length > 0, !offset.addingReportingOverflow(length).overflow else { return nil }
    switch kind {
    case .coded:
      guard length <= UInt64(BlockCodec.longest), payload <= PackedLayout.largestPayload,
        length <= UInt64(payload * PackedLayout.mostGain),
        streams > 0, UInt64(streams) <= PackedLayout.largestStreams(of: length)
      else { return nil }
    case .zeros:
      guard length <= PackedLayout.mostZeros, payload == 0, streams == 0 else { return nil }
    }
  }

  /// The block at an offset of a packed file, when its checksum holds.
  static func sound(_ packed: any ByteSource, at fileOffset: UInt64) -> PackedBlock? {
    let header = packed.bytes(at: fileOffset, count: PackedLayout.Block.size)
    guard let block = PackedBlock(header, at: fileOffset), block.next <= packed.size() else { return nil }
    let payload = packed.bytes(at: block.payloadOffset, count: block.payload)
    let known: UInt64 = header.number(at: PackedLayout.Block.checksum)
    return checksum(header, payload) == known ? block : nil
  }

  /// The header with the checksum over it and these bytes.
  func bytes(_ payload: [UInt8]) -> [UInt8] {
    typealias Field = PackedLayout.Block
    var header = [UInt8](repeating: 0, count: Field.size)
    header.put(Field.magic, at: 0)
    header.put(kind.rawValue, at: Field.kind)
    header.put(offset, at: Field.offset)
    header.put(length, at: Field.length)
    header.put(UInt32(clamping: payload.count), at: Field.payload)
    header.put(UInt32(clamping: streams), at: Field.streams)
    header.put(Self.checksum(header, payload), at: Field.checksum)
    return header
  }

  static func checksum(_ header: [UInt8], _ payload: [UInt8]) -> UInt64 {
    var checksum = Checksum()
    for offset in stride(from: 0, to: PackedLayout.Block.checksum, by: 8) {
      checksum.add(header.number(at: offset) as UInt64)
    }
    payload.withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }
}
