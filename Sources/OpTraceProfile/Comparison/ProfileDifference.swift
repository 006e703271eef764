import OpTraceKernel
package import OpTraceModel
package import OpTraceSamples

/// What two profiles used in the same functions and the same work.
package struct ProfileDifference {
  /// Nanoseconds before and after.
  package struct Change: Sendable, Equatable {
    private var earlier = CountedTime()
    private var later = CountedTime()
    package var before: Nanoseconds { earlier.time }
    package var after: Nanoseconds { later.time }
    package var difference: Nanoseconds { after - before }
    /// It is larger than what counting samples explains: twice the standard deviation of their numbers. Without samples everything is.
    package var isClear: Bool { later.differsClearly(from: earlier) }

    fileprivate mutating func add(_ time: Nanoseconds, _ samples: Int, of profile: Profile, isAfter: Bool) {
      if isAfter {
        later.add(time, samples: samples, every: profile.period)
      } else {
        earlier.add(time, samples: samples, every: profile.period)
      }
    }
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

  /// Functions are the same where their name and their module are: lines move, and folders differ. O(samples + frames of all stacks).
  package init(from before: Profile, to after: Profile) {
    var rows: [FunctionRow] = []
    var indexes: [Profile.Function.Identity: Int] = [:]
    for (isAfter, profile) in [(true, after), (false, before)] {
      for row in profile.functionRows() {
        let function = profile.functions[row.function]
        let index = indexes.entry(function.identity)
        if index == rows.count { rows.append(FunctionRow(name: function)) }
        rows[index].own.add(row.own, row.ownSamples, of: profile, isAfter: isAfter)
        rows[index].total.add(row.total, row.totalSamples, of: profile, isAfter: isAfter)
      }
    }
    functions = rows.enumerated().sorted {
      let (left, right) = ($0.element, $1.element)
      return (right.own.difference.magnitude, right.total.difference.magnitude, $0.offset)
        < (left.own.difference.magnitude, left.total.difference.magnitude, $1.offset)
    }.map(\.element)
    work = Self.work(before, after)
  }

  private static func work(_ before: Profile, _ after: Profile) -> [WorkRow] {
    var rows: [WorkRow] = []
    var indexes: [Profile.Owner: Int] = [:]
    for (isAfter, profile) in [(true, after), (false, before)] {
      for row in profile.groupRows(by: .work) {
        guard case .owner(let owner) = row.name else { continue }
        let index = indexes.entry(owner)
        if index == rows.count { rows.append(WorkRow(name: owner)) }
        rows[index].time.add(row.weight, row.samples, of: profile, isAfter: isAfter)
      }
    }
    return rows.enumerated().sorted {
      ($1.element.time.difference.magnitude, $0.offset) < ($0.element.time.difference.magnitude, $1.offset)
    }.map(\.element)
  }
}
