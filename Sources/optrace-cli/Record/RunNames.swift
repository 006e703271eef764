/// What the files of several runs of a program are called.
enum RunNames {
  /// How many runs there may be.
  static let possible = 1...100_000

  /// `run.r01.optrace` … of 10 runs: they sort in the order of the runs. Where the process id stands before the ending, the run's
  /// number comes first. O(count).
  static func all(_ count: Int, of path: String) -> [String] {
    let width = String(count).count
    var stem = path[...]
    var ending = ""
    for part in [".optrace", ".html", ".%p"] where stem.hasSuffix(part) {
      stem = stem.dropLast(part.count)
      ending = part + ending
    }
    return (1...max(1, count)).map { run in
      let number = String(run)
      return stem + ".r" + String(repeating: "0", count: width - number.count) + number + ending
    }
  }
}
