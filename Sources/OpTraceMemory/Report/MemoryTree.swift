import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// Stacks with the bytes that live at the end, merged from the outermost function on.
struct MemoryTree {
  struct Row {
    /// The row of the caller, which comes before it; -1: the outermost.
    var parent: Int
    /// An index in the profile's functions.
    var function: Int
    /// With all that it called.
    var bytes: Double
  }

  private struct Key: Hashable {
    var parent: Int
    var function: Int
  }

  private(set) var rows: [Row] = []

  /// Less of the whole is not seen: such rows are left out.
  private static let leastShare = 1.0 / 5000

  /// O(frames of all stacks).
  init(_ report: MemoryReport) {
    let profile = report.data.profile
    var stacks = [Double](repeating: 0, count: profile.stacks.count)
    for (allocation, sample) in zip(report.data.allocations, profile.samples) where allocation.lives(at: report.at) {
      stacks[sample.stack] += allocation.liveBytes(at: report.at)
    }
    var all: [Row] = []
    var known: [Key: Int] = [:]
    for (index, bytes) in stacks.enumerated() where bytes > 0 {
      var parent = -1
      for frame in profile.stacks[index].frames {
        let key = Key(parent: parent, function: profile.frames[frame].function)
        let row = known[key] ?? all.count
        if row == all.count {
          known[key] = row
          all.append(Row(parent: parent, function: key.function, bytes: 0))
        }
        all[row].bytes += bytes
        parent = row
      }
    }
    keep(all, least: stacks.reduce(0, +) * Self.leastShare)
  }

  /// A caller has at least as much as what it calls, so it stays with it.
  private mutating func keep(_ all: [Row], least: Double) {
    var moved = [Int](repeating: -1, count: all.count)
    for (index, row) in all.enumerated() where row.bytes >= least {
      moved[index] = rows.count
      rows.append(Row(parent: row.parent < 0 ? -1 : moved[row.parent], function: row.function, bytes: row.bytes))
    }
  }
}
