/// Many tests at once: some come out by chance. Holm's correction keeps the chance that any of them does below the limit
/// that one test would have (Holm: A simple sequentially rejective multiple test procedure, 1979).
enum Holm {
  /// The adjusted p of each, to be compared with the limit of one test: in ascending order, the i-th of m is multiplied by
  /// m - i (from 0), is not below the one before it, and not above 1. O(m log m).
  static func adjusted(_ ps: [Double]) -> [Double] {
    var result = ps
    var highest = 0.0
    for (rank, place) in ps.indices.sorted(by: { (ps[$0], $0) < (ps[$1], $1) }).enumerated() {
      highest = max(highest, min(1, ps[place] * Double(ps.count - rank)))
      result[place] = highest
    }
    return result
  }
}
