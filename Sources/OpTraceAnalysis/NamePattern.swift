/// What names that only count have in common: each number in them is a mark.
///
/// `Load tile 17` and `Load tile 4` are both `Load tile #`. A number is a row of digits; a UUID; `0x` with the digits of an
/// address; and a word of eight or more hexadecimal digits, some of them decimal (a checksum). A mark that stands
/// before a number already is not doubled.
package enum NamePattern {
  /// - Parameter mark: what stands for a number. O(length).
  package static func of(_ name: String, mark: StaticString = "#") -> String {
    var name = name
    let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
    return name.withUTF8 { bytes in
      guard bytes.contains(where: isDigit) else { return String(decoding: bytes, as: UTF8.self) }
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var place = 0
      while place < bytes.count {
        guard isWord(bytes[place]) else {
          result.append(bytes[place])
          place += 1
          continue
        }
        let uuid = uuidEnd(bytes, place)
        if let uuid {
          append(mark, to: &result)
          place = uuid
          continue
        }
        let end = wordEnd(bytes, place)
        if isHexadecimal(bytes[place..<end]) {
          append(mark, to: &result)
        } else {
          append(bytes[place..<end], to: &result, mark)
        }
        place = end
      }
      return String(decoding: result, as: UTF8.self)
    }
  }

  private static func append(_ mark: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
    if !result.suffix(mark.count).elementsEqual(mark) { result.append(contentsOf: mark) }
  }

  /// Of a word that is no number as a whole, its digits.
  private static func append(
    _ word: Slice<UnsafeBufferPointer<UInt8>>, to result: inout [UInt8], _ mark: UnsafeBufferPointer<UInt8>
  ) {
    for byte in word {
      if isDigit(byte) { append(mark, to: &result) } else { result.append(byte) }
    }
  }

  private static func wordEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int {
    var end = begin
    while end < bytes.count, isWord(bytes[end]) { end += 1 }
    return end
  }

  private static func isHexadecimal(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    if word.count > 2, word.first == UInt8(ascii: "0"), word.dropFirst().first == UInt8(ascii: "x") {
      return word.dropFirst(2).allSatisfy(isHexDigit)
    }
    return word.count >= 8 && word.allSatisfy(isHexDigit) && word.contains(where: isDigit)
  }

  /// The end of `8-4-4-4-12` hexadecimal digits that begin here and that no letter or digit follows.
  private static func uuidEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int? {
    let length = 36
    guard begin + length <= bytes.count else { return nil }
    for offset in 0..<length {
      let byte = bytes[begin + offset]
      let isDash = [8, 13, 18, 23].contains(offset)
      guard isDash ? byte == UInt8(ascii: "-") : isHexDigit(byte) else { return nil }
    }
    let end = begin + length
    return end < bytes.count && isWord(bytes[end]) ? nil : end
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
  private static func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) }
}
