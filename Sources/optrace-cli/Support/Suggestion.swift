#if CLI
  /// What somebody meant who wrote a word that is not among those there are.
  enum Suggestion {
    /// The nearest of `candidates`, by the number of letters to change, or nil when none is near.
    static func nearest(to word: String, among candidates: [String]) -> String? {
      let word = Array(word.lowercased())
      let ranked = candidates.map { (name: $0, distance: distance(word, Array($0.lowercased()))) }
      guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
      if best.distance <= max(1, min(word.count, best.name.count) / 3) { return best.name }
      // The beginning of exactly one of them.
      let completed = candidates.filter { word.count > 1 && $0.lowercased().hasPrefix(String(word)) }
      return completed.count == 1 ? completed.first : nil
    }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), in O(nm).
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
      var beforeLast: [Int] = []
      var last = Array(0...right.count)
      for row in 0..<left.count {
        var current = [row + 1]
        for column in 0..<right.count {
          let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
          var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
          if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
            cost = min(cost, beforeLast[column - 1] + 1)
          }
          current.append(cost)
        }
        (beforeLast, last) = (last, current)
      }
      return last[right.count]
    }
  }
#endif
