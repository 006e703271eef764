import OpTraceModel

/// Finds the other lines at which tasks idle that work in rounds: a server's loop waits for the next request at one line behind a request
/// without a body, and at another one behind a request with one.
///
/// Such a line waits in the same call as the one where tasks idle mostly, and no deeper. A loop that reads the body of a request waits like
/// this as well, but right behind the beginning of the request: between two places where a task idles it mostly waited for something else,
/// or it waits there for its first request. And where it waits shorter by far, something is under way.
struct OtherIdling {
  private struct Visits {
    var count = 0
    /// How long the first ones took that are over.
    var waits: [Nanoseconds] = []
    /// How often a task had waited for something else since it last was at such a place.
    var before = 0
    /// How often it came to such a place again, and how often it had waited for something else until then.
    var next = 0
    var after = 0
    /// How often it was the first wait of a task.
    var first = 0

    private static let mostWaits = 4000

    var median: Nanoseconds { waits.isEmpty ? 0 : waits.sorted()[waits.count / 2] }

    mutating func add(_ time: Nanoseconds?, hasWaited: Bool, isFirst: Bool) {
      count += 1
      if let time, waits.count < Self.mostWaits { waits.append(max(0, time)) }
      before += hasWaited ? 1 : 0
      first += isFirst ? 1 : 0
    }
  }

  private let idles: [FrameID?]
  private let group: [Int32]
  private let trace: Trace

  /// Fewer visits say nothing.
  private static let fewest = 8
  /// Of the visits of a place, in percent, that follow other waits, that are a task's first wait, and of those with a next one that precede
  /// other waits. Some requests wait for nothing.
  private static let leastBefore = 50
  private static let leastFirst = 80
  private static let leastAfter = 25
  /// How many times shorter than the main place tasks may wait there.
  private static let mostShorter: Nanoseconds = 4

  /// - Parameters:
  ///   - idles: for each group where its tasks idle mostly.
  ///   - group: for each task its group.
  init(_ trace: Trace, _ idles: [FrameID?], _ group: [Int32]) {
    (self.trace, self.idles, self.group) = (trace, idles, group)
  }

  /// For each group its other places. O(suspensions).
  func found(_ code: inout ProgramCode) -> [Set<FrameID>] {
    let places = candidates(&code)
    guard places.contains(where: { !$0.isEmpty }) else { return places }
    var visits: [[FrameID: Visits]] = idles.map { _ in [:] }
    for row in trace.tasks.indices {
      let of = Int(group[row])
      guard let idle = idles[of], !places[of].isEmpty else { continue }
      visit(row, idle, places[of], &visits[of])
    }
    return places.indices.map { of in
      guard let idle = idles[of], let main = visits[of][idle] else { return [] }
      let usual = main.median
      return places[of].filter { at in
        guard let one = visits[of][at] else { return false }
        let followsWork = one.before * 100 >= one.count * Self.leastBefore
        let isFirst = one.first * 100 >= one.count * Self.leastFirst
        return one.count >= Self.fewest && (followsWork || isFirst)
          && one.next > 0 && one.after * 100 >= one.next * Self.leastAfter && one.median >= usual / Self.mostShorter
      }
    }
  }

  /// For each group the places that wait in the same call as the main one, in the same loop.
  private func candidates(_ code: inout ProgramCode) -> [Set<FrameID>] {
    var places: [Set<FrameID>] = idles.map { _ in [] }
    var seen: [Set<FrameID>] = places
    for row in trace.tasks.indices {
      let of = Int(group[row])
      guard let idle = idles[of] else { continue }
      for suspension in trace.tasks[row].suspensions where suspension.reason == .continuation {
        guard let at = suspension.at, at != idle, seen[of].insert(at).inserted, isLike(at, idle, &code) else {
          continue
        }
        places[of].insert(at)
      }
    }
    return places
  }

  private func isLike(_ at: FrameID, _ idle: FrameID, _ code: inout ProgramCode) -> Bool {
    let (one, main) = (trace.stacks.stack(at), trace.stacks.stack(idle))
    guard let call = trace.stacks[at]?.address, call == trace.stacks[idle]?.address, one.count <= main.count else {
      return false
    }
    let functions = code.path(at).functions
    return code.path(idle).functions.starts(with: functions)
  }

  private func visit(_ row: Int, _ idle: FrameID, _ places: Set<FrameID>, _ visits: inout [FrameID: Visits]) {
    var last: FrameID?
    var hasWaited = false
    for suspension in trace.tasks[row].suspensions where suspension.reason != .executor {
      guard let at = suspension.at, at == idle || places.contains(at) else {
        hasWaited = true
        continue
      }
      if let last {
        visits[last]?.next += 1
        visits[last]?.after += hasWaited ? 1 : 0
      }
      let ended = suspension.letGoOn?.time ?? suspension.to
      visits[at, default: Visits()].add(
        ended.map { $0 - suspension.from.time }, hasWaited: hasWaited, isFirst: last == nil && !hasWaited)
      (last, hasWaited) = (at, false)
    }
  }
}
