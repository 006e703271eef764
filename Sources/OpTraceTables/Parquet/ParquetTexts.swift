/// The texts of a column, each once; nil where too many differ for that to be of use.
struct TextDictionary {
  /// All different texts, each behind its length.
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  /// Which text each row has; nil: none.
  private(set) var indices: [UInt32?] = []

  /// - Parameter largest: how many bytes the texts may have together.
  init?(_ rows: TableRows, _ column: Int, _ range: Range<Int>, largest: Int) {
    indices.reserveCapacity(range.count)
    var known: [String: UInt32] = [:]
    // Neighbours often have the same text.
    var last: (text: String, index: UInt32)?
    for row in range {
      guard case .text(let text) = rows[row, column] else {
        indices.append(nil)
        continue
      }
      if let last, last.text == text {
        indices.append(last.index)
        continue
      }
      let index: UInt32
      if let found = known[text] {
        index = found
      } else {
        index = UInt32(known.count)
        known[text] = index
        bytes.appendLittle(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
        let seen = row - range.lowerBound + 1
        if bytes.count > largest || (known.count > 1000 && known.count > seen / 4) { return nil }
      }
      indices.append(index)
      last = (text, index)
    }
    count = known.count
  }
}

/// DELTA_BYTE_ARRAY: of each text how many bytes it shares with the beginning of the one before, and the rest.
struct PrefixedTexts {
  private var shared: [Int64] = []
  private var rests: [Int64] = []
  private var bytes: [UInt8] = []
  private var last: [UInt8] = []

  var byteCount: Int { bytes.count }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { next in
      var same = 0
      let most = min(next.count, last.count)
      while same < most, next[same] == last[same] { same += 1 }
      shared.append(Int64(same))
      rests.append(Int64(next.count - same))
      bytes.append(contentsOf: next[same...])
      last.replaceSubrange(same..., with: next[same...])
    }
  }

  func append(to target: inout [UInt8]) {
    DeltaEncoding.append(shared, to: &target)
    DeltaEncoding.append(rests, to: &target)
    target += bytes
  }
}
