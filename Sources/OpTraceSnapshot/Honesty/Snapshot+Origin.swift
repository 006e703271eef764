import OpTraceFormat
package import OpTraceModel

extension Snapshot {
  /// What the snapshot is, and what is not in it.
  package var origin: TraceOrigin {
    var origin = TraceOrigin()
    origin.isCore = !isLive
    origin.hasMoved = !isStill
    origin.isTimed = isTimed
    origin.watched = Nanoseconds(watched / .milliseconds(1)) * 1_000_000
    origin.leftOut = leftOut.map(\.description).sorted()
    return origin
  }

  /// With what is missing of threads and of the process as a whole.
  private var leftOut: Set<LeftOut> {
    var all = objects.leftOut
    // Without Swift there are no tasks to leave out.
    if !hasSwift { all = all.filter { if case .tasks = $0 { false } else { true } }.union([.noSwift]) }
    if !roles.areKnown, hasRunning { all.insert(.roles) }
    if enders.isTooMuch { all.insert(.references) }
    let lost = threads.count { $0.state.registers == nil && ![UInt8(ascii: "R"), nil].contains($0.state.letter) }
    if lost > 0 { all.insert(.threads(lost)) }
    return all
  }

  /// Something is executed, by whomever.
  private var hasRunning: Bool {
    objects.operations?.operations.values.contains { $0.state >= .starting } == true
      || objects.tasks?.tasks.values.contains(where: \.isRunning) == true
  }
}

extension SnapshotWriter {
  /// One record for each part that is left out, or one that nothing is.
  mutating func writeOrigin() {
    let origin = snapshot.origin
    let fields = EventFields.Outside(
      core: origin.isCore, moved: origin.hasMoved, timed: origin.isTimed,
      watched: UInt32(clamping: min(origin.watched / 1_000_000, 1 << 24 - 1)))
    for text in origin.leftOut.isEmpty ? [""] : origin.leftOut {
      events.append(fields, at: moment + 3, by: writer, text: text)
    }
  }
}
