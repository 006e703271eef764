/// Texts and arrays of Swift in another process: docs at `COpTrace/layouts/swift_abi.h`, whose numbers these are.
enum SwiftValues {
  /// The text in the two words at an address; nil: there is none, or it is kept in a way that nothing on Linux uses by itself.
  static func text(at address: UInt64, _ view: MemoryView) -> String? {
    guard let first = view.word(at: address), let second = view.word(at: address &+ 8), second != 0 else { return nil }
    let form = second >> 60
    if form & 2 != 0 {
      let count = Int(second >> 56 & 15)
      let bytes = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? first : second) >> UInt64($0 % 8 * 8)) }
      return String(validating: bytes.prefix(count), as: UTF8.self)
    }
    guard form & 1 == 0, first >> 60 & 1 == 1 else { return nil }
    let count = first & (1 << 48 - 1)
    guard count <= longest else { return nil }
    return view.bytes(at: (second & (1 << 60 - 1)) &+ 32, count: Int(count)).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }

  /// In bytes. Longer ones are no names.
  private static let longest: UInt64 = 1 << 16

  /// The objects in the array that an address holds. Nil: it is no array, or of more than `most`.
  static func objects(at address: UInt64, most: Int = 1 << 16, _ view: MemoryView) -> [UInt64]? {
    guard let array = view.pointer(at: address), let count = view.word(at: array &+ 16), count <= UInt64(most) else {
      return nil
    }
    var result: [UInt64] = []
    for index in 0..<count {
      guard let object = view.pointer(at: array &+ 32 &+ index * 8) else { return nil }
      result.append(object)
    }
    return result
  }
}
