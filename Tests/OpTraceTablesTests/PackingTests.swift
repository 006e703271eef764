import TestSupport
import Testing

@testable import OpTraceTables

/// Parquet's encodings, checked by decoders that were written from the specification only.
@Suite("Packing")
struct PackingTests {
  /// Reads the output of an encoder.
  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func varint() -> UInt64 {
      var (value, shift) = (UInt64(0), UInt64(0))
      while let byte = bytes.popFirst() {
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }

    mutating func zigzag() -> Int64 {
      let value = varint()
      return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads `count` numbers of `width` bits, bit by bit.
    mutating func packed(_ count: Int, width: Int) -> [UInt64] {
      let size = (count * width + 7) / 8
      let part = Array(bytes.prefix(size))
      bytes = bytes.dropFirst(size)
      return (0..<count).map { number in
        (0..<width).reduce(UInt64(0)) { value, bit in
          let index = number * width + bit
          return value | UInt64(part[index / 8] >> UInt8(index % 8) & 1) << UInt64(bit)
        }
      }
    }

    mutating func deltas() -> [Int64] {
      let (block, runs, count) = (Int(varint()), Int(varint()), Int(varint()))
      var values = [zigzag()]
      while values.count < count {
        let least = zigzag()
        let widths = (0..<runs).map { _ in Int(bytes.popFirst() ?? 0) }
        for width in widths where values.count < count {
          for value in packed(block / runs, width: width) where values.count < count {
            values.append((values.last ?? 0) &+ least &+ Int64(bitPattern: value))
          }
        }
      }
      return count == 0 ? [] : values
    }

    mutating func runs(_ count: Int, width: Int) -> [UInt32] {
      var values: [UInt32] = []
      while values.count < count, !bytes.isEmpty {
        let head = Int(varint())
        if head & 1 == 1 {
          values += packed(head >> 1 * 8, width: width).map { UInt32($0) }
        } else {
          let size = (width + 7) / 8
          let value = bytes.prefix(size).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
          bytes = bytes.dropFirst(size)
          values += [UInt32](repeating: value, count: head >> 1)
        }
      }
      return Array(values.prefix(count))
    }
  }

  private static func deltasAgain(_ values: [Int64]) -> [Int64] {
    var bytes: [UInt8] = []
    DeltaEncoding.append(values, to: &bytes)
    var reader = Reader(bytes: bytes[...])
    let result = reader.deltas()
    #expect(reader.bytes.isEmpty, "\(values.count) values leave \(reader.bytes.count) bytes")
    return result
  }

  @Test("deltas are decoded again: none, one, full and partial blocks, and extreme numbers")
  func deltas() {
    for count in [0, 1, 2, 31, 32, 33, 34, 128, 129, 130, 160, 161, 257, 1000] {
      let rising = (0..<count).map { Int64($0 * $0) }
      #expect(Self.deltasAgain(rising) == rising)
      let wild = (0..<count).map { $0 % 2 == 0 ? Int64.min : Int64.max }
      #expect(Self.deltasAgain(wild) == wild)
      let same = [Int64](repeating: -7, count: count)
      #expect(Self.deltasAgain(same) == same)
    }
  }

  @Test("deltas of random numbers of each width are decoded again")
  func randomDeltas() {
    for width in 1...64 {
      var random = SeededGenerator(width)
      let values = (0..<random.number(1..<400)).map { _ in
        Int64(bitPattern: random.next() >> UInt64(64 - width))
      }
      #expect(Self.deltasAgain(values) == values, "seed and width \(width)")
    }
  }

  @Test("runs and packed numbers are decoded again, in any order")
  func runs() {
    for width in 1...20 {
      var random = SeededGenerator(width)
      for _ in 0..<20 {
        var values: [UInt32] = []
        for _ in 0..<random.number(0..<13) {
          let value = UInt32(random.number(0..<1 << width))
          values += [UInt32](repeating: value, count: random.number(1..<31))
        }
        var bytes: [UInt8] = []
        RunEncoding.append(values, width: width, to: &bytes)
        var reader = Reader(bytes: bytes[...])
        #expect(reader.runs(values.count, width: width) == values, "seed and width \(width)")
      }
    }
  }

  @Test("a thousand equal numbers are a run of three bytes")
  func longRun() {
    var bytes: [UInt8] = []
    RunEncoding.append([UInt32](repeating: 1, count: 1000), width: 1, to: &bytes)
    #expect(bytes == [0xD0, 0x0F, 1])
  }

  @Test("texts are stored with the length of the prefix that they share with the text before")
  func prefixes() {
    var texts = PrefixedTexts()
    for text in ["Load 10", "Load 11", "", "Löwe", "Läuse"] { texts.add(text) }
    var bytes: [UInt8] = []
    texts.append(to: &bytes)
    var reader = Reader(bytes: bytes[...])
    #expect(reader.deltas() == [0, 6, 0, 0, 2])
    #expect(reader.deltas() == [7, 1, 0, 5, 4])
    #expect(String(decoding: reader.bytes.prefix(13), as: UTF8.self) == "Load 101Löwe")
  }
}
