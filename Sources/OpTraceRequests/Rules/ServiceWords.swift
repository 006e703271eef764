import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// What the rules about services share.
extension DoctorContext {
  /// How much of the slow units' time a cause explains, for the kind where it explains most.
  struct Explained {
    var kind: RequestKind
    /// The share of the slow units' time, from 0 to 1.
    var share: Double
    var evidence: Finding.Evidence
  }

  /// With fewer units than this, their slow ones say nothing.
  private static let leastUnits = 20
  /// A cause is worth reporting if it explains at least this share of the slow units' time.
  static let leastExplained = 0.2

  /// Whether a kind is one of requests that the program's own code answers again and again.
  func isServed(_ kind: RequestKind) -> Bool { kind.isOwn && kind.count >= Self.leastUnits }

  /// The kind whose slow units spend most time, in total, in such causes; nil: they explain too little. O(kinds ·
  /// causes).
  func explained(_ isCause: (Requests.Cause) -> Bool) -> Explained? {
    var best: Explained?
    var most = 0.0
    for kind in requests.kinds where isServed(kind) {
      let tail = kind.breakdown.reduce(0) { $0 + $1.tail }
      let part = kind.breakdown.filter { isCause(requests.causes[Int($0.cause)]) }
      let time = part.reduce(0) { $0 + $1.tail }
      let median = part.reduce(0) { $0 + $1.median }
      guard tail > 0, time > 0 else { continue }
      let share = Double(time) / Double(tail)
      let weight = Double(time) * Double(kind.tailCount)
      guard share >= Self.leastExplained, weight > most else { continue }
      most = weight
      best = Explained(
        kind: kind, share: share,
        evidence: .init(
          "of the slow '\(Self.shown(kind.name))' (p99 \(DurationText.text(kind.p99)) of \(kind.count)) this takes "
            + "\(DurationText.text(time)), \(Int((share * 100).rounded())) % of their time; of those about the median "
            + (median > 0 ? DurationText.text(median) : "nothing")))
    }
    return best
  }

  /// From the first begin of a unit to the last end of one; nil: there is none. O(units).
  var requestTime: Nanoseconds? {
    guard let first = requests.units.lazy.map(\.began).min(), let last = requests.units.lazy.map(\.ended).max() else {
      return nil
    }
    return last - first
  }

  /// ` (Price.swift:43)`; empty: not known.
  static func line(_ location: CodeLocation?) -> String { location?.lineText.map { " (\(shown($0)))" } ?? "" }
}
