package import OpTraceBlame
import OpTraceKernel
package import OpTraceModel

extension Summary {
  /// What waits lasted for: where their time ends when it is passed on along the wait-for graph (``Blame``).
  package struct WaitEnd: Sendable, Equatable {
    /// The kind.
    package var kind: BlameEnd.Kind
    /// In words: `recv from 10.0.0.1:5432 in 'Store.query(_:)' (Store.swift:40)`.
    package var words: String
    /// Where; nil: not known.
    package var code: CodeLocation?
    /// The share of the time of these waits, from 0 to 1.
    package var share: Double
  }

  /// So many waits of each row are followed, the longest ones, and so many ends are told.
  private static let mostFollowed = 40
  private static let mostEnds = 3
  /// Ends that take less are not told.
  private static let leastShare = 0.1

  /// For each list of waits (as indexes) where their time ends, the most first. O(n log n) for n pieces of work, waits and samples, if there
  /// is a wait.
  static func ends(of rows: [[Int]], _ trace: Trace) -> [[WaitEnd]] {
    guard rows.contains(where: { !$0.isEmpty }) else { return rows.map { _ in [] } }
    var strands = TraceStrands(trace, ProgramCode(trace.stacks))
    return rows.map { waits in
      var times: [BlameEnd: Double] = [:]
      for wait in longest(waits, trace) {
        let strand = wait.inside.flatMap(trace.workIndex(of:)).map(BlameStrand.work) ?? .thread(wait.thread)
        for share in Blame(strand, from: wait.began, to: wait.ended ?? trace.end, in: &strands).shares {
          times[share.end, default: 0] += share.time
        }
      }
      let words = BlameWords(strands.code.locations)
      let all = max(1, times.values.reduce(0, +))
      return times.lazy.filter { $0.key.isKnown && $0.value >= Self.leastShare * all }
        .map {
          WaitEnd(
            kind: $0.key.kind, words: words.phrase($0.key), code: words.place($0.key.location), share: $0.value / all)
        }
        .sorted { ($1.share, $0.words) < ($0.share, $1.words) }.prefix(Self.mostEnds).map(\.self)
    }
  }

  private static func longest(_ waits: [Int], _ trace: Trace) -> [WaitRecord] {
    func length(_ index: Int) -> Nanoseconds { (trace.waits[index].ended ?? trace.end) - trace.waits[index].began }
    return waits.sorted { (length($1), $0) < (length($0), $1) }.prefix(mostFollowed).map { trace.waits[$0] }
  }
}

extension BlameEnd {
  /// Whether it says more than that something was done.
  fileprivate var isKnown: Bool { kind != .unknown && (kind != .code || location >= 0) }
}
