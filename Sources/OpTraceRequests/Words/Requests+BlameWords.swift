import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import OpTraceText

extension Requests {
  /// What blame is put on, in words.
  var inWords: BlameWords { BlameWords(locations) }

  /// The most that the slow units of a kind lose time to. `least`: parts with a smaller share are left out.
  package func lost(_ kind: RequestKind, least: Double, most: Int) -> [Blamed] {
    guard let number = kinds.firstIndex(where: { $0.name == kind.name && $0.location == kind.location }) else {
      return []
    }
    return Array(blamed.lazy.filter { $0.kind == Int32(clamping: number) && $0.share >= least }.prefix(most))
  }

  /// `71 % 'Store.query(_:)' (Store.swift:40), which blocks its thread in recv (for 'Shop.search()')`.
  package func phrase(_ blamed: Blamed) -> String {
    var text = percent(blamed.share) + " " + inWords.phrase(blamed.culprit)
    if blamed.culprit.isHeld, !blamed.culprit.isMain,
      let end = blamed.ends.first(where: { $0.end.kind != .unknown || !$0.end.name.isEmpty })?.end
    {
      text += ", which those have who are in \(inWords.phrase(end))"
    }
    if let holder = blamed.holders.first, holder.kind >= 0, holder.kind != blamed.kind {
      text += ", for '\(kinds[Int(holder.kind)].name)'"
    }
    return text
  }

  /// `'Report.flush()' comes back every 5 s and takes 300 ms: the slow ones lose 34 % of their time to it`.
  package func phrase(_ pulse: RequestCourse.Pulse) -> String {
    "'\(kinds[Int(pulse.kind)].name)' comes back every \(DurationText.text(pulse.beat.period)) and takes "
      + "\(DurationText.text(pulse.beat.length)): the slow ones lose \(percent(pulse.share)) of their time to it"
  }
}
