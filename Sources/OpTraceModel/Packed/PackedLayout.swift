import OpTraceFormat

/// Where things stand in a packed trace. `Documentation/format.md` describes it in words.
enum PackedLayout {
  static let magic: [UInt8] = Array("OPTRACZ\n".utf8)
  static let majorVersion: UInt16 = 1
  /// From ``copyVersion`` on a file ends with its first block once more.
  static let minorVersion: UInt16 = 1
  static let copyVersion: UInt16 = 1

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
    /// Where its bytes stand in the trace, and how many they are.
    static let offset = 8
    static let length = 16
    /// Bytes behind this header, and how many of them are decisions.
    static let payload = 24
    static let coded = 28
    static let checksum = 32
  }

  enum BlockKind: UInt32 { case coded = 1, zeros = 2 }

  /// No block of decisions is larger than this.
  static let largestPayload = 2 * BlockCodec.longest
  /// The first block holds no more: the trace's header, without which nothing else of it can be read. It stands at the
  /// end of the file, too.
  static let longestStart = Layout.Header.size
  /// A coded block is at least one part in so many of what it becomes, and all zeros of a file are at most so many: what
  /// a small file says can cost only so much.
  static let mostGain = 64
  static let mostZeros: UInt64 = 1 << 30

  /// What a file of so many bytes may become unless its reader says otherwise: of what is recorded, a tenth of its size
  /// is left by packing, so this is enough for all but empty space.
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
  /// Where its bytes stand in the trace.
  var offset: UInt64
  var length: UInt64
  var payload: Int
  var coded: Int
  /// Where its header stands in the packed file.
  var place: UInt64 = 0

  var end: UInt64 { offset + length }
  var payloadPlace: UInt64 { place + UInt64(PackedLayout.Block.size) }
  var next: UInt64 { payloadPlace + UInt64(payload) }

  init(kind: PackedLayout.BlockKind, offset: UInt64, length: UInt64, payload: Int = 0, coded: Int = 0) {
    self.kind = kind
    self.offset = offset
    self.length = length
    self.payload = payload
    self.coded = coded
  }

  /// Nil when the bytes are no header of a block, or one that says what no writer says.
  init?(_ bytes: [UInt8], place: UInt64) {
    typealias Place = PackedLayout.Block
    guard bytes.count == Place.size, bytes.number(at: 0) as UInt32 == Place.magic,
      let kind = PackedLayout.BlockKind(rawValue: bytes.number(at: Place.kind))
    else { return nil }
    self.kind = kind
    self.place = place
    offset = bytes.number(at: Place.offset)
    length = bytes.number(at: Place.length)
    payload = Int(bytes.number(at: Place.payload) as UInt32)
    coded = Int(bytes.number(at: Place.coded) as UInt32)
    guard length > 0, coded <= payload, !offset.addingReportingOverflow(length).overflow else { return nil }
    switch kind {
    case .coded:
      guard length <= UInt64(BlockCodec.longest), payload <= PackedLayout.largestPayload,
        length <= UInt64(payload * PackedLayout.mostGain)
      else { return nil }
    case .zeros:
      guard length <= PackedLayout.mostZeros, payload == 0 else { return nil }
    }
  }

  /// The block at a place of a packed file, when its checksum holds.
  static func sound(_ packed: any ByteSource, at place: UInt64) -> PackedBlock? {
    let header = packed.bytes(at: place, count: PackedLayout.Block.size)
    guard let block = PackedBlock(header, place: place), block.next <= packed.size() else { return nil }
    let payload = packed.bytes(at: block.payloadPlace, count: block.payload)
    let told: UInt64 = header.number(at: PackedLayout.Block.checksum)
    return checksum(header, payload) == told ? block : nil
  }

  /// The header with the checksum over it and these bytes.
  func bytes(_ payload: [UInt8]) -> [UInt8] {
    typealias Place = PackedLayout.Block
    var header = [UInt8](repeating: 0, count: Place.size)
    header.put(Place.magic, at: 0)
    header.put(kind.rawValue, at: Place.kind)
    header.put(offset, at: Place.offset)
    header.put(length, at: Place.length)
    header.put(UInt32(clamping: payload.count), at: Place.payload)
    header.put(UInt32(clamping: coded), at: Place.coded)
    header.put(Self.checksum(header, payload), at: Place.checksum)
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
