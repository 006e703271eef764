import OpTraceFormat

/// Checks that a thread is in one turn of its event loop at a time.
struct LoopRules {
  private struct Turn {
    var began: Nanoseconds
    var ended: Nanoseconds?
  }

  /// The last long turn of each thread.
  private var last: [UInt32: Turn] = [:]

  /// What is wrong with a `loop-turn`; nil: nothing.
  mutating func check(_ event: TraceEvent) -> String? {
    let fields = EventFields.LoopTurn(event.word1)
    // Its begin is not known.
    guard fields.age < Layout.largestAge else { return nil }
    let age = Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit)
    let turn = Turn(began: event.time &- age, ended: fields.open ? nil : event.time)
    // In a long turn the clock may drift a little.
    let tolerance = TraceBuilder.tolerance + age / 1000
    defer { last[event.subject] = turn }
    guard let before = last[event.subject] else { return nil }
    if turn.began < before.began - tolerance { return "began before the turn that was recorded before it" }
    guard let ended = before.ended, turn.began > before.began + tolerance, turn.began < ended - tolerance else {
      return nil
    }
    return "began before the turn before it had ended"
  }
}
