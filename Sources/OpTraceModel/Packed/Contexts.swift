/// The probabilities that a block's codec learns, in one piece of memory, and how numbers and bytes are coded with them.
///
/// This is the unsafe part of the codec: it is at the heart of reading millions of records, where checked arrays cost
/// twice the time. Every index is a sum of a base that ``addNumber()`` or ``addTree()`` gave out and a value whose bits
/// are limited beside it.
final class Contexts {
  /// Numbers and trees of decisions are added as a block needs them, so a small block costs little.
  private static let mostNumbers = 1600
  private static let mostTrees = 300
  private static let numbersStart = textSize
  private static let treesStart = numbersStart + mostNumbers * numberSize
  private static let size = treesStart + mostTrees * treeSize

  private let memory: UnsafeMutablePointer<Probability>
  /// Of each number, how long its last value was in bits.
  private let lastLengths: UnsafeMutablePointer<UInt8>
  private var numberCount = 0
  private var treeCount = 0
  private var isTextReady = false

  init() {
    // Memory that is not touched costs nothing.
    memory = .allocate(capacity: Self.size)
    lastLengths = .allocate(capacity: Self.mostNumbers)
  }

  deinit {
    memory.deallocate()
    lastLengths.deallocate()
  }

  /// Forgets all that was learned, and every number and tree.
  func reset() {
    numberCount = 0
    treeCount = 0
    isTextReady = false
  }

  // MARK: - Numbers

  /// A number's decisions: whether it is as long as the last one; else its length, as a tree by the last one's; then
  /// its five highest bits behind the first one, as a tree by its length; its lowest bit. The bits between are plain.
  private static let sameStart = 0
  private static let lengthStart = 65
  private static let lengthTrees = 24
  private static let highStart = lengthStart + lengthTrees * 128
  private static let lowStart = highStart + 65 * 32
  private static let numberSize = lowStart + 65
  private static let highBits = 5

  /// A number that is coded often. Returns what ``number(_:_:_:)`` takes.
  func addNumber() -> Int {
    precondition(numberCount < Self.mostNumbers, "more numbers than a codec of records has")
    defer { numberCount += 1 }
    (memory + Self.numbersStart + numberCount * Self.numberSize).initialize(repeating: .init(), count: Self.numberSize)
    lastLengths[numberCount] = 0
    return numberCount
  }

  @inline(__always)
  func number<Coder: EntropyCoder>(_ value: UInt64, _ number: Int, _ coder: inout Coder) -> UInt64 {
    let base = memory + (Self.numbersStart + number * Self.numberSize)
    let last = Int(lastLengths[number])
    var length = 64 - value.leadingZeroBitCount
    if coder.bit(length == last, &base[Self.sameStart + last]) {
      length = last
    } else {
      let tree = base + (Self.lengthStart + min(last, Self.lengthTrees - 1) * 128)
      // A decoder's bits may say more than 64.
      length = min(64, Self.tree(UInt64(length), bits: 7, tree, &coder))
      lastLengths[number] = UInt8(truncatingIfNeeded: length)
    }
    guard length > 1 else { return UInt64(length) }
    let rest = length - 1
    let high = min(rest, Self.highBits)
    let highTree = base + (Self.highStart + length * 32)
    var result = UInt64(Self.tree(value >> UInt64(rest - high), bits: high, highTree, &coder)) | 1 << UInt64(high)
    var left = rest - high
    guard left > 0 else { return result }
    left -= 1
    if left > 32 {
      result = result << 32 | coder.raw(value >> UInt64(left - 31), bits: 32)
      left -= 32
    }
    result = result << UInt64(left) | coder.raw(value >> 1, bits: left)
    return result << 1 | (coder.bit(value & 1 != 0, &base[Self.lowStart + length]) ? 1 : 0)
  }

  /// The lowest `bits` of a value, the highest first; each is decided in view of those before it.
  @inline(__always)
  private static func tree<Coder: EntropyCoder>(
    _ value: UInt64, bits: Int, _ tree: UnsafeMutablePointer<Probability>, _ coder: inout Coder
  ) -> Int {
    var node = 1
    var bit = bits
    while bit > 0 {
      bit -= 1
      node = node << 1 | (coder.bit(value >> UInt64(bit) & 1 != 0, &tree[node]) ? 1 : 0)
    }
    return node - 1 << bits
  }

  // MARK: - Bytes that have a tree of their own

  private static let treeSize = 257

  /// Returns what ``expected(_:_:_:_:)`` takes.
  func addTree() -> Int {
    precondition(treeCount < Self.mostTrees, "more trees than a codec of records has")
    defer { treeCount += 1 }
    (memory + Self.treesStart + treeCount * Self.treeSize).initialize(repeating: .init(), count: Self.treeSize)
    return treeCount
  }

  /// A byte that is most often the one that was expected.
  @inline(__always)
  func expected<Coder: EntropyCoder>(_ value: UInt8, _ guess: UInt8, _ tree: Int, _ coder: inout Coder) -> UInt8 {
    let base = memory + (Self.treesStart + tree * Self.treeSize)
    if coder.bit(value == guess, &base[256]) { return guess }
    return UInt8(truncatingIfNeeded: Self.tree(UInt64(value), bits: 8, base, &coder))
  }

  // MARK: - Bytes of texts

  /// All texts share this many decisions; which ones a byte takes tells a hash of what is known of it.
  private static let textSize = 1 << 16

  @inline(__always)
  func text<Coder: EntropyCoder>(_ value: UInt8, known: UInt32, _ coder: inout Coder) -> UInt8 {
    if !isTextReady {
      memory.initialize(repeating: .init(), count: Self.textSize)
      isTextReady = true
    }
    // Multiplicative hashing (Knuth, volume 3, 6.4), by the golden ratio.
    let hash = known &* 0x9E37_79B1
    var node: UInt32 = 1
    for bit in (0..<8).reversed() {
      let place = Int((hash ^ node &* 0x85EB_CA6B) >> 16)
      node = node << 1 | (coder.bit(value >> UInt8(bit) & 1 != 0, &memory[place]) ? 1 : 0)
    }
    return UInt8(truncatingIfNeeded: node)
  }
}
