import OpTraceText

/// A column of some rows on its way into a file: which encoding suits it, its pages, and its description at the file's end.
///
/// Numbers are delta-packed, or a dictionary's where that is smaller; texts are a dictionary's while few differ, else stored by what
/// they have in common with the one before.
struct ParquetChunk {
  /// Of `parquet.thrift`.
  enum Encoding: Int {
    case plain = 0
    case runs = 3
    case delta = 5
    case deltaText = 7
    case dictionary = 8
  }

  /// A page is read as a whole: so many cells at most, and a new one when its texts are longer.
  private static let pageRows = 1 << 15
  private static let pageBytes = 1 << 20

  let column: TraceTable.Column
  let offset: Int
  private(set) var dataOffset: Int
  private(set) var end: Int
  private(set) var encoding: Encoding
  private(set) var nullCount = 0
  let count: Int
  /// Of numbers that are there.
  private(set) var bounds: ClosedRange<Int64>?

  var hasDictionary: Bool { encoding == .dictionary }
  var size: Int { end - offset }

  /// Writes the cells of `column` in `range` from `offset` of the file on.
  init(
    _ rows: TableRows, _ columnIndex: Int, _ column: TraceTable.Column, _ range: Range<Int>, at offset: Int,
    to writer: ByteWriter
  ) {
    self.column = column
    self.offset = offset
    (dataOffset, end, count) = (offset, offset, range.count)
    encoding = .plain
    switch column.type {
    case .integer: writeNumbers(rows, columnIndex, range, writer)
    case .real: writeReals(rows, columnIndex, range, writer)
    case .text: writeTexts(rows, columnIndex, range, writer)
    }
  }

  // MARK: Numbers

  private mutating func writeNumbers(_ rows: TableRows, _ columnIndex: Int, _ range: Range<Int>, _ writer: ByteWriter) {
    encoding = .delta
    for part in Self.parts(of: range) {
      var page = ParquetPage()
      var values: [Int64] = []
      values.reserveCapacity(part.count)
      for row in part {
        guard case .integer(let number) = rows[row, columnIndex] else {
          page.add(isNull: true)
          continue
        }
        page.add(isNull: false)
        values.append(number)
      }
      if let low = values.min(), let high = values.max() {
        bounds = min(low, bounds?.lowerBound ?? low)...max(high, bounds?.upperBound ?? high)
      }
      DeltaEncoding.append(values, to: &page.values)
      write(page, writer)
    }
  }

  private mutating func writeReals(_ rows: TableRows, _ columnIndex: Int, _ range: Range<Int>, _ writer: ByteWriter) {
    for part in Self.parts(of: range) {
      var page = ParquetPage()
      for row in part {
        guard case .real(let number) = rows[row, columnIndex] else {
          page.add(isNull: true)
          continue
        }
        page.add(isNull: false)
        page.values.appendLittle(number.bitPattern)
      }
      write(page, writer)
    }
  }

  // MARK: Texts

  private mutating func writeTexts(_ rows: TableRows, _ columnIndex: Int, _ range: Range<Int>, _ writer: ByteWriter) {
    if let dictionary = TextDictionary(rows, columnIndex, range, largest: Self.pageBytes) {
      return write(dictionary, writer)
    }
    encoding = .deltaText
    var page = ParquetPage()
    var texts = PrefixedTexts()
    func finish(_ chunk: inout ParquetChunk) {
      guard page.count > 0 else { return }
      texts.append(to: &page.values)
      chunk.write(page, writer)
      page = ParquetPage()
      texts = PrefixedTexts()
    }
    for row in range {
      if case .text(let text) = rows[row, columnIndex] {
        page.add(isNull: false)
        texts.add(text)
      } else {
        page.add(isNull: true)
      }
      if page.count >= Self.pageRows || texts.byteCount >= Self.pageBytes { finish(&self) }
    }
    finish(&self)
  }

  private mutating func write(_ dictionary: TextDictionary, _ writer: ByteWriter) {
    encoding = .dictionary
    var header = ThriftWriter()
    header.i32(1, 2)
    header.i32(2, dictionary.bytes.count)
    header.i32(3, dictionary.bytes.count)
    header.structure(7) {
      $0.i32(1, dictionary.count)
      $0.i32(2, Encoding.plain.rawValue)
    }
    header.end()
    put(header.bytes, writer)
    put(dictionary.bytes, writer)
    dataOffset = end
    let width = max(1, RunEncoding.width(of: max(0, dictionary.count - 1)))
    for part in Self.parts(of: dictionary.indices.indices) {
      var page = ParquetPage()
      var numbers: [UInt32] = []
      for index in dictionary.indices[part] {
        page.add(isNull: index == nil)
        if let index { numbers.append(index) }
      }
      page.values.append(UInt8(width))
      RunEncoding.append(numbers, width: width, to: &page.values)
      write(page, writer)
    }
  }

  // MARK: Pages

  private static func parts(of range: Range<Int>) -> [Range<Int>] {
    stride(from: range.lowerBound, to: range.upperBound, by: pageRows).map {
      $0..<min($0 + pageRows, range.upperBound)
    }
  }

  private mutating func write(_ page: ParquetPage, _ writer: ByteWriter) {
    nullCount += page.nullCount
    let levels = page.levels
    let size = levels.count + page.values.count
    var header = ThriftWriter()
    header.i32(1, 0)
    header.i32(2, size)
    header.i32(3, size)
    header.structure(5) {
      $0.i32(1, page.count)
      $0.i32(2, encoding.rawValue)
      $0.i32(3, Encoding.runs.rawValue)
      $0.i32(4, Encoding.runs.rawValue)
    }
    header.end()
    put(header.bytes, writer)
    put(levels, writer)
    put(page.values, writer)
  }

  private mutating func put(_ bytes: [UInt8], _ writer: ByteWriter) {
    writer.bytes(bytes)
    end += bytes.count
  }
}

/// Cells that are written together: which of them are null, and the values of the others.
private struct ParquetPage {
  private(set) var count = 0
  private(set) var nullCount = 0
  /// From the first null on: most pages have none.
  private var isThere: [UInt32] = []
  var values: [UInt8] = []

  mutating func add(isNull: Bool) {
    if isNull {
      if nullCount == 0 { isThere = ones }
      nullCount += 1
    }
    if nullCount > 0 { isThere.append(isNull ? 0 : 1) }
    count += 1
  }

  private var ones: [UInt32] { [UInt32](repeating: 1, count: count) }

  /// With their length before them.
  var levels: [UInt8] {
    var runs: [UInt8] = []
    RunEncoding.append(nullCount == 0 ? ones : isThere, width: 1, to: &runs)
    var result: [UInt8] = []
    result.appendLittle(UInt32(clamping: runs.count))
    return result + runs
  }
}
