package import OpTraceAnalysis
package import OpTraceModel

/// What two profiles used in the same functions and the same work.
package struct ProfileDifference {
  /// Nanoseconds before and after.
  package struct Change: Sendable, Equatable {
    package var before: Nanoseconds = 0
    package var after: Nanoseconds = 0
    /// It is larger than what counting samples explains: twice the standard deviation of their numbers. Without samples everything is.
    package var isClear = false
    package var difference: Nanoseconds { after - before }
  }

  /// A function of either.
  package struct FunctionRow: Sendable {
    /// As the later profile has it, else the earlier one.
    package var name: Profile.Function
    package var own = Change()
    package var total = Change()
  }

  /// Work of either.
  package struct WorkRow: Sendable {
    package var name: Profile.Owner
    package var time = Change()
  }

  /// The largest change in its own code first.
  package let functions: [FunctionRow]
  /// The largest change first.
  package let work: [WorkRow]

  private struct Name: Hashable {
    var function: String
    var module: String?
  }

  /// Functions are the same where their name and their module are: lines move, and folders differ. O(samples + frames of all stacks).
  package init(from before: Profile, to after: Profile) {
    let noise = Noise(before: before.period, after: after.period)
    var rows: [FunctionRow] = []
    var samples: [(own: Noise.Counts, total: Noise.Counts)] = []
    var indexes: [Name: Int] = [:]
    for (isAfter, profile) in [(true, after), (false, before)] {
      for row in profile.functionRows() {
        let function = profile.functions[row.function]
        let name = Name(function: function.name, module: function.module)
        let index = indexes[name] ?? rows.count
        if index == rows.count {
          indexes[name] = index
          rows.append(FunctionRow(name: function))
          samples.append((Noise.Counts(), Noise.Counts()))
        }
        rows[index].own.add(row.own, isAfter)
        rows[index].total.add(row.total, isAfter)
        samples[index].own.add(row.ownSamples, isAfter)
        samples[index].total.add(row.totalSamples, isAfter)
      }
    }
    for index in rows.indices {
      noise.judge(&rows[index].own, samples[index].own)
      noise.judge(&rows[index].total, samples[index].total)
    }
    functions = rows.enumerated().sorted {
      let (left, right) = ($0.element, $1.element)
      return (right.own.difference.magnitude, right.total.difference.magnitude, $0.offset)
        < (left.own.difference.magnitude, left.total.difference.magnitude, $1.offset)
    }.map(\.element)
    work = Self.work(before, after, noise)
  }

  private static func work(_ before: Profile, _ after: Profile, _ noise: Noise) -> [WorkRow] {
    var rows: [WorkRow] = []
    var samples: [Noise.Counts] = []
    var indexes: [Profile.Owner: Int] = [:]
    for (isAfter, profile) in [(true, after), (false, before)] {
      for row in profile.groupRows(by: .work) {
        guard case .owner(let owner) = row.name else { continue }
        let index = indexes[owner] ?? rows.count
        if index == rows.count {
          indexes[owner] = index
          rows.append(WorkRow(name: owner))
          samples.append(Noise.Counts())
        }
        rows[index].time.add(row.weight, isAfter)
        samples[index].add(row.samples, isAfter)
      }
    }
    for index in rows.indices { noise.judge(&rows[index].time, samples[index]) }
    return rows.enumerated().sorted {
      ($1.element.time.difference.magnitude, $0.offset) < ($0.element.time.difference.magnitude, $1.offset)
    }.map(\.element)
  }
}

extension ProfileDifference.Change {
  fileprivate mutating func add(_ weight: Nanoseconds, _ isAfter: Bool) {
    if isAfter { after += weight } else { before += weight }
  }
}

/// What chance does to numbers of samples.
private struct Noise {
  struct Counts {
    var before = 0
    var after = 0
    mutating func add(_ count: Int, _ isAfter: Bool) { if isAfter { after += count } else { before += count } }
  }

  /// Nanoseconds that a sample stands for; 0: nothing was sampled.
  let before: Nanoseconds
  let after: Nanoseconds

  /// The number of samples that hit something is Poisson's, so its variance is the number itself.
  func judge(_ change: inout ProfileDifference.Change, _ counts: Counts) {
    let variance =
      Double(counts.before) * Double(before) * Double(before) + Double(counts.after) * Double(after) * Double(after)
    change.isClear = Double(change.difference.magnitude) > 2 * variance.squareRoot()
  }
}
