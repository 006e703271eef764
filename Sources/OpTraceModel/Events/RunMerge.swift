/// A stable sort for entries that consist of few ascending runs, such as each thread's records. O(n log k) for k runs.
enum RunMerge {
  typealias Entry = TraceEvents.Entry

  static func sort(_ entries: inout [Entry]) {
    var runs = ascendingRuns(of: entries)
    guard runs.count > 2 else { return }
    var source = entries
    var target = entries
    // `runs` holds the borders; each round merges neighbours pairwise.
    while runs.count > 2 {
      var borders = [0]
      target.withUnsafeMutableBufferPointer { output in
        source.withUnsafeBufferPointer { input in
          var index = 0
          while index + 1 < runs.count {
            let low = runs[index]
            let middle = runs[index + 1]
            let high = index + 2 < runs.count ? runs[index + 2] : middle
            merge(input, low, middle, high, into: output)
            borders.append(high)
            index += 2
          }
        }
      }
      swap(&source, &target)
      runs = borders
    }
    entries = source
  }

  private static func isOrdered(_ left: Entry, _ right: Entry) -> Bool {
    left.time != right.time ? left.time < right.time : left.thread <= right.thread
  }

  /// The indexes where runs begin, and the end.
  private static func ascendingRuns(of entries: [Entry]) -> [Int] {
    var borders = [0]
    entries.withUnsafeBufferPointer { entries in
      for index in entries.indices.dropFirst() where !isOrdered(entries[index - 1], entries[index]) {
        borders.append(index)
      }
    }
    if !entries.isEmpty { borders.append(entries.count) }
    return borders
  }

  private static func merge(
    _ input: UnsafeBufferPointer<Entry>, _ low: Int, _ middle: Int, _ high: Int,
    into output: UnsafeMutableBufferPointer<Entry>
  ) {
    var left = low
    var right = middle
    for target in low..<high {
      if right == high || (left < middle && isOrdered(input[left], input[right])) {
        output[target] = input[left]
        left += 1
      } else {
        output[target] = input[right]
        right += 1
      }
    }
  }
}
