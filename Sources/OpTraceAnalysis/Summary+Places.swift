public import OpTraceModel

extension Summary {
  /// Where in the source threads waited. Waits whose stack was not recorded (short ones) are in none.
  public struct Place: Sendable, Equatable {
    /// The innermost code of the program's own on the stacks of these waits.
    public var code: CodeLocation
    /// How many waits stood there.
    public var count = 0
    /// Those that were not over when the trace ended; they count until then.
    public var unfinished = 0
    /// Their times added up, in nanoseconds.
    public var total: Nanoseconds = 0
    /// The longest of them, in nanoseconds.
    public var longest: Nanoseconds = 0
  }

  /// O(waits · depth of a stack).
  static func places(_ trace: Trace, most: Int) -> (shown: [Place], more: Int) {
    var numbers: [CodeLocation: Int] = [:]
    var known: [FrameID: CodeLocation?] = [:]
    var places: [Place] = []
    for wait in trace.waits {
      guard let frame = wait.at else { continue }
      let code = known[frame] ?? trace.stacks.codeLocation(frame)
      known[frame] = .some(code)
      guard let code else { continue }
      let time = Swift.max(0, (wait.ended ?? trace.end) - wait.began)
      let number = numbers[code] ?? places.count
      if number == places.count {
        numbers[code] = number
        places.append(Place(code: code))
      }
      places[number].count += 1
      places[number].total = places[number].total.saturating(time)
      places[number].longest = Swift.max(places[number].longest, time)
      if wait.ended == nil { places[number].unfinished += 1 }
    }
    let order = places.indices.sorted { (places[$1].total, $0) < (places[$0].total, $1) }
    let shown = order.prefix(Swift.max(0, most)).map { places[$0] }
    return (shown, places.count - shown.count)
  }
}
