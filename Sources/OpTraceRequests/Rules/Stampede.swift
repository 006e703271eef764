import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let stampede = Trouble("stampede", .slow)
}

extension DoctorRule {
  /// Eight or more units of a kind are in one function at once, in which less than half of them ever come, two of five of those find
  /// four others there, and the slow ones spend half of their time in it, 10 ms or more. At most, three times as many are there as on average. If they came by
  /// chance, they would mostly be alone.
  static let stampede = DoctorRule(
    .stampede, .warning,
    Guide(
      """
      Many requests do the same work at the same moment, because what one of them is about to store is not there yet: a cache \
      that has just become cold. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        if let known = await cache[key] { return known }
        let made = try await load(key)               // by all that come while the first one loads
        """,
      right: """
        // The cache holds tasks: the first one that asks makes one, all others await it.
        let task = await cache.task(for: key) { try await load(key) }
        return try await task.value
        """)
  ) { context in
    context.stampedes()
  }
}

extension DoctorContext {
  private static let leastOfSlow = 0.5
  private static let leastLength: Nanoseconds = 10_000_000

  /// One for each kind. Where units wait for what others have, such as a connection, they queue, and do not work.
  var crowds: [Requests.Crowd] {
    let pools = requests.pools.filter { $0.byHolders > 0 }
    var told: Set<Int32> = []
    return requests.crowds.filter { crowd in
      let kind = requests.kinds[Int(crowd.kind)]
      return isServed(kind) && kind.areRounds && kind.p99 >= Self.leastLength && crowd.share >= Self.leastOfSlow
        && !requests.isInFunction(of: kind, crowd.function)
        && !pools.contains { requests.areInOneFunction($0.location, crowd.function) }
        && told.insert(crowd.kind).inserted
    }
  }

  fileprivate func stampedes() -> [Finding] {
    crowds.map { crowd in
      let kind = requests.kinds[Int(crowd.kind)]
      let location = requests.locations[Int(crowd.function)]
      let function = Self.shown(location.function ?? "a function")
      var finding = Finding(
        .stampede, .warning, ending: .itWorks,
        title:
          "up to \(crowd.most) units of '\(Self.shown(kind.name))' are in '\(function)'\(Self.line(location)) at once, in which most "
          + "never come: \(Self.percent(crowd.share)) of the time of the slow ones (p99 \(DurationText.text(kind.p99)))",
        explanation:
          "\(crowd.units) of \(kind.count) came there, mostly together. Probably each of them does what one could do for all.",
        fix:
          "Let the first one do it, and the others wait for its result: keep the task in the cache, and not only what it made."
      )
      finding.location = location
      finding.explains = crowd.share * shareOfAll(crowd.kind)
      finding.evidence.append(.init(time: crowd.at, "\(crowd.most) units are in it"))
      return finding
    }
  }
}
