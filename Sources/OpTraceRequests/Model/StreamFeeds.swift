import OpTraceKernel
import OpTraceModel

/// Requests that feed streams: how many elements they yielded, at least, while nobody waited for one.
struct StreamFeeds {
  private let moments: RequestMoments
  private let requests: Requests
  /// By kind, when its units began and ended, in the order of time.
  private var begins: [Int32: [Nanoseconds]] = [:]
  private var ends: [Int32: [Nanoseconds]] = [:]

  /// O(n log n) for n units.
  init(_ requests: Requests, _ trace: Trace) {
    self.requests = requests
    moments = RequestMoments(requests, trace)
    for unit in requests.units {
      begins[unit.kind, default: []].append(unit.began)
      ends[unit.kind, default: []].append(unit.ended)
    }
    for kind in begins.keys {
      begins[kind]?.sort()
      ends[kind]?.sort()
    }
  }

  /// How many requests, of the kind that fed a reader last, came since then; and the least number of elements that these yielded. Those
  /// that ended while the reader waited had yielded none: as many are counted for each element. Nil: requests did not feed it then.
  /// O(reads · log units).
  func since(_ reads: [TaskRecord.Suspension]) -> (requests: Int, elements: Int)? {
    let fed = reads.compactMap { read -> (kind: Int32, from: Nanoseconds, to: Nanoseconds)? in
      guard let to = read.resumed?.time, let unit = read.resumer.flatMap({ moments.unit(of: $0, at: to) }) else {
        return nil
      }
      return (requests.units[unit].kind, read.from.time, to)
    }
    guard let last = fed.last, last.to == reads.last?.resumed?.time, let begins = begins[last.kind],
      let ends = ends[last.kind]
    else { return nil }
    let without = fed.lazy.filter { $0.kind == last.kind }.map { read in
      ends.firstSorted { $0 >= read.to } - ends.firstSorted { $0 >= read.from }
    }
    let count = begins.count - begins.firstSorted { $0 > last.to }
    return (count, count / (1 + max(0, without.max() ?? 0)))
  }
}
