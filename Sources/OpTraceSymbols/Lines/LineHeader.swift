/// One unit of a line table: the header's numbers, and the program whose rows they explain.
struct LineHeader {
  let bytes: [UInt8]
  let version: UInt16
  /// Offsets in it take 8 bytes, not 4.
  let isWide: Bool
  /// Where the lists of folders and files begin.
  let tables: Int
  private let program: Int
  private let smallestInstruction: UInt64
  private let lineBase: Int8
  private let lineRange: UInt8
  private let opcodeBase: UInt8
  /// How many numbers follow each standard instruction, from 1 on.
  private let operands: [UInt8]

  /// - Parameter bytes: the unit, behind its length.
  init?(_ bytes: [UInt8], isWide: Bool) {
    var cursor = ByteCursor(bytes)
    version = cursor.u16()
    guard (2...5).contains(version) else { return nil }
    // The sizes of an address and of a segment.
    if version >= 5 { cursor.skip(2) }
    let length = cursor.number(bytes: isWide ? 8 : 4)
    let afterLength = cursor.offset
    smallestInstruction = UInt64(cursor.byte())
    // Operations in an instruction: 1 where a processor has no long instruction words.
    if version >= 4 { cursor.skip(1) }
    cursor.skip(1)
    lineBase = Int8(bitPattern: cursor.byte())
    lineRange = cursor.byte()
    opcodeBase = cursor.byte()
    var operands: [UInt8] = []
    for _ in 1..<max(opcodeBase, 1) { operands.append(cursor.byte()) }
    guard !cursor.isBroken, length <= UInt64(bytes.count - afterLength), lineRange > 0, opcodeBase > 0 else {
      return nil
    }
    self.operands = operands
    self.bytes = bytes
    self.isWide = isWide
    tables = cursor.offset
    program = afterLength + Int(length)
  }

  /// Runs the program, whose every row says what lies between its address and that of the next.
  func run(_ hits: inout LineHits) {
    var cursor = ByteCursor(bytes, from: program)
    var row = LineHits.Row()
    var sequence = LineSequence()
    while !cursor.isAtEnd {
      let code = cursor.byte()
      if code >= opcodeBase {
        let step = code - opcodeBase
        row.address &+= smallestInstruction &* UInt64(step / lineRange)
        row.line &+= UInt64(bitPattern: Int64(lineBase) + Int64(step % lineRange))
        sequence.add(row, &hits)
        continue
      }
      switch code {
      case 0:
        let size = cursor.unsigned()
        let start = cursor.offset
        guard size > 0, size <= UInt64(cursor.left) else { return }
        switch cursor.byte() {
        case 1:
          sequence.end(row, &hits)
          row = LineHits.Row()
        case 2: row.address = cursor.number(bytes: min(Int(size) - 1, 8))
        default: break
        }
        cursor = ByteCursor(bytes, from: start + Int(size))
      case 1: sequence.add(row, &hits)
      case 2: row.address &+= smallestInstruction &* cursor.unsigned()
      case 3: row.line &+= UInt64(bitPattern: cursor.signed())
      case 4: row.file = cursor.unsigned()
      case 5: row.column = cursor.unsigned()
      case 8: row.address &+= smallestInstruction &* UInt64((255 - opcodeBase) / lineRange)
      case 9: row.address &+= UInt64(cursor.u16())
      default:
        // What it means is of no use here (a statement's begin, a block, a prologue), or not known.
        for _ in 0..<operands[Int(code) - 1] { _ = cursor.unsigned() }
      }
    }
  }
}

/// Rows of ascending addresses that belong together.
private struct LineSequence {
  private var last: LineHits.Row?
  private var slot = 0
  private var isDead = false

  mutating func add(_ row: LineHits.Row, _ hits: inout LineHits) {
    guard let last else {
      // Functions that the linker left out have address 0, or the highest.
      isDead = row.address == 0 || row.address >= UInt64.max - 1
      slot = isDead ? 0 : hits.slot(atOrAfter: row.address)
      self.last = row
      return
    }
    if row.address < last.address {
      if !isDead { slot = hits.slot(atOrAfter: row.address) }
    } else if !isDead, hits.address(slot) < row.address {
      slot = hits.take(last, from: slot, to: row.address)
    }
    self.last = row
  }

  mutating func end(_ row: LineHits.Row, _ hits: inout LineHits) {
    add(row, &hits)
    last = nil
  }
}
