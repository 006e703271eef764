import ArgumentParser

/// The names of the files of several runs of a program.
enum RunNames {
  /// How many runs are allowed.
  private static let possible = 1...100_000

  /// Throws what to say of another number of runs.
  static func check(_ runs: Int) throws {
    guard possible.contains(runs) else {
      throw ValidationError("--runs needs a number from 1 to \(possible.upperBound).")
    }
  }

  /// `run.r01.optrace` … for 10 runs: the names sort in the order of the runs. If the process id is before the
  /// extension, the number of the run comes first. O(count).
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
