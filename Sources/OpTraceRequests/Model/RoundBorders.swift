import OpTraceModel

/// Tells apart requests between which a task did not wait: the next one had arrived already, so nothing shows that the task came back to
/// where it idles. Under load many do.
///
/// Most rounds are single requests. They tell which waits begin a request and come once in it, and which end one. Where such a beginning
/// follows such an end in one round, there is a border.
struct RoundBorders {
  private struct Place {
    /// Rounds that wait there, that wait there first, that do so once, and that wait there last.
    var rounds = 0
    var first = 0
    var once = 0
    var last = 0
  }

  private var places: [FrameID: Place] = [:]

  /// With fewer rounds it is not known how a request goes.
  private static let leastRounds = 10
  /// Of the rounds that wait at a place, in percent: that begin there, and do so once; that end there.
  private static let leastFirst = 80
  private static let leastOnce = 80
  private static let leastLast = 50

  /// O(suspensions).
  init(_ rounds: [RequestFinder.Round], _ trace: Trace) {
    var counts: [FrameID: Int] = [:]
    for round in rounds where !round.isHead {
      counts.removeAll(keepingCapacity: true)
      let waits = Self.waits(of: round, trace)
      for wait in waits { counts[wait.at, default: 0] += 1 }
      for (at, count) in counts {
        places[at, default: Place()].rounds += 1
        if waits.first?.at == at {
          places[at]?.first += 1
          places[at]?.once += count == 1 ? 1 : 0
        }
        if waits.last?.at == at { places[at]?.last += 1 }
      }
    }
  }

  /// An actor that is free is not waited for, so that says little.
  private static func waits(of round: RequestFinder.Round, _ trace: Trace) -> [(index: Int, at: FrameID)] {
    trace.tasks.withUnsafeBufferPointer { tasks in
      round.suspensions.compactMap { index in
        let suspension = tasks[round.task].suspensions[index]
        guard suspension.reason != .executor, let at = suspension.at else { return nil }
        return (index, at)
      }
    }
  }

  private func begins(_ at: FrameID) -> Bool {
    guard let place = places[at], place.first >= Self.leastRounds else { return false }
    return place.first * 100 >= place.rounds * Self.leastFirst && place.once * 100 >= place.first * Self.leastOnce
  }

  private func ends(_ at: FrameID) -> Bool {
    places[at].map { $0.last * 100 >= $0.rounds * Self.leastLast } ?? false
  }

  /// The same rounds, but each request one of its own. O(suspensions).
  func split(_ rounds: [RequestFinder.Round], _ trace: Trace) -> [RequestFinder.Round] {
    rounds.flatMap { round -> [RequestFinder.Round] in
      guard !round.isHead else { return [round] }
      let waits = Self.waits(of: round, trace)
      var found: [RequestFinder.Round] = []
      var rest = round
      for (last, next) in zip(waits, waits.dropFirst()) where last.at != next.at && ends(last.at) && begins(next.at) {
        let suspensions = trace.tasks[round.task].suspensions
        // In between it ended the one and began the other.
        let (from, to) = (suspensions[last.index].to ?? rest.began, suspensions[next.index].from.time)
        let border = min(max(rest.began, from + (to - from) / 2), rest.ended)
        var one = rest
        (one.ended, one.suspensions, one.isTail) = (border, rest.suspensions.lowerBound..<next.index, false)
        (rest.began, rest.suspensions) = (border, next.index..<rest.suspensions.upperBound)
        found.append(one)
      }
      return found + [rest]
    }
  }
}
