import OpTraceBlame
import OpTraceModel

/// What slow units lose time to, for narrow columns.
extension Requests {
  /// Where they have less of their time, what they did themselves says more.
  private static let leastOfTail = 0.3

  /// `for lock 'mutex 1', held in Log.write(_:)`: what the slowest units of a kind lose most time to, or do most themselves. Nil: nothing is
  /// known.
  package func short(of kind: RequestKind) -> String? {
    if let most = lost(kind, least: Self.leastOfTail, most: 1).first, most.waits.first?.resource != nil,
      let text = inWords.short(most.culprit)
    {
      return text + held(most)
    }
    return mostOfTail(kind).map(short)
  }

  private func held(_ blamed: Blamed) -> String {
    guard blamed.culprit.isHeld else { return "" }
    return blamed.ends.lazy.compactMap { inWords.place($0.end.location)?.function }.first.map { ", held in \($0)" }
      ?? ""
  }
}
