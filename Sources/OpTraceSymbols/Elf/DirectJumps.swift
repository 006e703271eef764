/// Calls of functions, and jumps to their beginnings, that name them by their distance. Code is searched for them without knowing where
/// its instructions begin, so that now and then other bytes are taken for one.
struct DirectJumps {
  /// Where each jump goes, by the address behind it: there a function ends whose last act it is.
  private(set) var targets: [UInt64: UInt64] = [:]
  /// How many calls and jumps go to each function.
  private(set) var counts: [UInt64: Int] = [:]

  private let starts: Set<UInt64>
  private let range: ClosedRange<UInt64>
  /// More jumps are not kept.
  private static let most = 1 << 16
  /// In bytes: how much code is read at once. A multiple of an instruction of arm64.
  private static let piece: UInt64 = 1 << 20
  /// In bytes, of the longest instruction that is looked for.
  private static let longest: UInt64 = 6

  /// Nil: nothing is asked for, or the code is of another processor than x86-64 and arm64.
  /// - Parameter starts: of the functions.
  /// - Complexity: O(code).
  init?(to starts: Set<UInt64>, in image: ElfImage) {
    guard let low = starts.min(), let high = starts.max(), [62, 183].contains(image.machine.processor) else {
      return nil
    }
    self.starts = starts
    range = low...high
    for section in image.sections.filter(\.isExecutable).prefix(ElfImage.Limit.code)
    where section.type != ElfImage.Section.noBits && image.file.holds(section.offset, section.size) {
      for offset in stride(from: 0, to: section.size, by: UInt64.Stride(Self.piece)) {
        let count = min(Self.piece + Self.longest - 1, section.size - offset)
        guard let bytes = image.file.bytes(at: section.offset + offset, count: Int(count)) else { return }
        // An instruction that begins behind the piece is the next one's.
        let begins = 0..<Int(min(Self.piece, count))
        let address = section.address &+ offset
        if image.machine.processor == 62 {
          searchX86(bytes, begins, address)
        } else {
          searchArm(bytes, begins, address)
        }
      }
    }
  }

  /// Whether a function that ends with a jump does nothing before, but keep a frame pointer and give it back.
  static func isOnlyJump(_ symbol: FunctionSymbols.Symbol, in image: ElfImage) -> Bool {
    if symbol.size <= longestJump { return true }
    let frame = image.machine.processor == 62 ? frameOfX86 : frameOfArm
    return symbol.size <= UInt64(frame.count) + longestJump
      && image.bytes(atAddress: symbol.start, count: frame.count) == frame
  }

  /// In bytes, on any processor.
  private static let longestJump: UInt64 = 5
  /// push %rbp; mov %rsp,%rbp; pop %rbp
  private static let frameOfX86: [UInt8] = [0x55, 0x48, 0x89, 0xE5, 0x5D]
  /// stp x29,x30,[sp,#-16]!; mov x29,sp; ldp x29,x30,[sp],#16
  private static let frameOfArm: [UInt8] = [
    0xFD, 0x7B, 0xBF, 0xA9, 0xFD, 0x03, 0x00, 0x91, 0xFD, 0x7B, 0xC1, 0xA8,
  ]

  private mutating func searchX86(_ bytes: [UInt8], _ begins: Range<Int>, _ address: UInt64) {
    for index in begins {
      let (size, isJump): (Int, Bool)
      switch bytes[index] {
      case 0xE8: (size, isJump) = (5, false)
      case 0xE9: (size, isJump) = (5, true)
      case 0xEB: (size, isJump) = (2, true)
      // On a condition.
      case 0x0F where index + 1 < bytes.count && bytes[index + 1] & 0xF0 == 0x80: (size, isJump) = (6, false)
      default: continue
      }
      let end = index + size
      guard end <= bytes.count else { continue }
      let last = Int64(Int8(bitPattern: bytes[end - 1]))
      let distance =
        size == 2
        ? last : last << 24 | Int64(bytes[end - 2]) << 16 | Int64(bytes[end - 3]) << 8 | Int64(bytes[end - 4])
      let behind = address &+ UInt64(end)
      take(behind, behind &+ UInt64(bitPattern: distance), isJump)
    }
  }

  private mutating func searchArm(_ bytes: [UInt8], _ begins: Range<Int>, _ address: UInt64) {
    for index in stride(from: 0, to: begins.upperBound - begins.upperBound % 4, by: 4) {
      let kind = bytes[index + 3] & 0xFC
      guard kind == 0x14 || kind == 0x94 else { continue }
      let word =
        UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
        | UInt32(bytes[index + 3]) << 24
      // 26 bits with a sign: how many instructions away.
      let distance = Int64(Int32(bitPattern: word << 6) >> 4)
      let begin = address &+ UInt64(index)
      take(begin &+ 4, begin &+ UInt64(bitPattern: distance), kind == 0x14)
    }
  }

  private mutating func take(_ end: UInt64, _ target: UInt64, _ isJump: Bool) {
    guard range.contains(target), starts.contains(target) else { return }
    counts[target, default: 0] += 1
    if isJump, targets.count < Self.most { targets[end] = target }
  }
}
