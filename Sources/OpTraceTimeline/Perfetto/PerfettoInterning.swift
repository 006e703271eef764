/// Texts that stand in the file once and have a number from then on.
///
/// A text is written out where it is seen first, and gets its number the second time: what is there only once would cost more
/// with a number than without. At most 131,072 texts are kept.
struct PerfettoInterning {
  enum Use: Equatable {
    case writtenOut
    case known(UInt64)
    /// Known from now on.
    case new(UInt64)
  }

  private static let most = 1 << 16
  private var once: Set<String> = []
  private var numbers: [String: UInt64] = [:]

  mutating func use(_ text: String) -> Use {
    if let number = numbers[text] { return .known(number) }
    if numbers.count < Self.most, once.remove(text) != nil {
      let number = UInt64(numbers.count + 1)
      numbers[text] = number
      return .new(number)
    }
    if once.count == Self.most { once.removeAll(keepingCapacity: true) }
    once.insert(text)
    return .writtenOut
  }
}
