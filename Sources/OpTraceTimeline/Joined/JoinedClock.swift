package import OpTraceModel

/// The clock that several traces have together: where each began on it.
///
/// Processes of one run of one system share its monotonic clock. Others are put together by the wall clocks at their starts; where what
/// they served does not lie as it must, their clock is moved.
package struct JoinedClock: Sendable {
  /// What was done to the clock of a system.
  package struct Move: Equatable, Sendable {
    /// The traces on this clock.
    package var traces: [Int]
    /// So much later they are now.
    package var by: Nanoseconds
    /// How many calls between them and those before tell.
    package var calls: Int
    /// How many of these do not lie as they must all the same.
    package var misfits: Int
  }

  /// When each trace began, in nanoseconds since the first of them did.
  package private(set) var starts: [Nanoseconds]
  /// Clocks that were moved.
  package private(set) var moves: [Move] = []
  /// Traces of which neither a clock nor a call says when they began. They are drawn from the beginning.
  package private(set) var unknown: [Int] = []

  /// More than any time of a trace, and far from what a sum of some can hold.
  private static let most: Nanoseconds = 1 << 57
  /// In the year 2116.
  private static let latestWall: Nanoseconds = 1 << 62

  /// O(n log n) for n calls, and O(traces²).
  package init(_ traces: [Trace], _ calls: [SpanCall]) {
    let systems = Self.systems(traces)
    starts = [Nanoseconds](repeating: 0, count: traces.count)
    let hasWall = place(systems, traces)
    var systemOfTrace = [Int](repeating: 0, count: traces.count)
    for (number, members) in systems.enumerated() {
      for member in members { systemOfTrace[member] = number }
    }
    let ofSystem = Self.callsBySystem(calls, systemOfTrace, count: systems.count)
    move(systems, systemOfTrace, by: ofSystem, traces)
    if systems.count > 1 {
      unknown = systems.indices.filter { !hasWall[$0] && ofSystem[$0].isEmpty }.flatMap { systems[$0] }
    }
    let first = starts.min() ?? 0
    for index in starts.indices { starts[index] -= first }
  }

  /// Where the clocks at their starts put the traces. Gives for each system whether its wall clock is known.
  private mutating func place(_ systems: [[Int]], _ traces: [Trace]) -> [Bool] {
    /// At the start of the first trace of each.
    var walls: [Nanoseconds?] = []
    for members in systems {
      let first = traces[members[0]].header.startMonotonic
      for member in members { starts[member] = Self.difference(traces[member].header.startMonotonic, first) }
      let told = members.first { traces[$0].header.startWall > 0 }
      walls.append(told.map { min(Nanoseconds(clamping: traces[$0].header.startWall), Self.latestWall) - starts[$0] })
    }
    let zero = walls.lazy.compactMap { $0 }.first ?? 0
    for (number, members) in systems.enumerated() {
      let offset = Self.clamped((walls[number] ?? zero) - zero)
      for member in members { starts[member] = Self.clamped(starts[member] + offset) }
    }
    return walls.map { $0 != nil }
  }

  /// Moves clocks as calls want it: system after system, each against those before, with which it has calls if any has.
  private mutating func move(
    _ systems: [[Int]], _ systemOfTrace: [Int], by ofSystem: [[SpanCall]], _ traces: [Trace]
  ) {
    var isPlaced = [Bool](repeating: false, count: systems.count)
    var isReached = isPlaced
    for _ in systems.indices {
      let next = systems.indices.first { isReached[$0] && !isPlaced[$0] } ?? isPlaced.firstIndex(of: false) ?? 0
      var bounds = ClockBounds()
      for call in ofSystem[next] {
        let (from, to) = (times(of: call.from, traces), times(of: call.to, traces))
        let (caller, server) = (systemOfTrace[call.from.trace], systemOfTrace[call.to.trace])
        if isPlaced[caller] { bounds.serves(to, from, isAwaited: call.isAwaited) }
        if isPlaced[server] { bounds.calls(from, to, isAwaited: call.isAwaited) }
        isReached[caller] = true
        isReached[server] = true
      }
      isPlaced[next] = true
      let move = bounds.move
      guard move != 0 else { continue }
      for member in systems[next] { starts[member] = Self.clamped(starts[member] + move) }
      moves.append(Move(traces: systems[next], by: move, calls: bounds.count, misfits: bounds.misfits(move)))
    }
  }

  /// The numbers of the traces of each run of a system, in their order.
  private static func systems(_ traces: [Trace]) -> [[Int]] {
    var systems: [[Int]] = []
    var known: [[UInt8]: Int] = [:]
    for (number, trace) in traces.enumerated() {
      let boot = trace.header.bootID
      if boot.contains(where: { $0 != 0 }) {
        if let system = known[boot] {
          systems[system].append(number)
          continue
        }
        known[boot] = systems.count
      }
      systems.append([number])
    }
    return systems
  }

  /// Calls between two of them, by each.
  private static func callsBySystem(_ calls: [SpanCall], _ systemOfTrace: [Int], count: Int) -> [[SpanCall]] {
    var found = [[SpanCall]](repeating: [], count: count)
    for call in calls {
      let (caller, server) = (systemOfTrace[call.from.trace], systemOfTrace[call.to.trace])
      guard caller != server else { continue }
      found[caller].append(call)
      found[server].append(call)
    }
    return found
  }

  private func times(of end: SpanCall.End, _ traces: [Trace]) -> ClockBounds.Times {
    let span = traces[end.trace].spans[end.span]
    let begin = span.began.time
    return ClockBounds.Times(
      begin: begin + starts[end.trace], end: span.ended.map { max(begin, $0.time) + starts[end.trace] })
  }

  private static func clamped(_ time: Nanoseconds) -> Nanoseconds { max(-most, min(most, time)) }

  private static func difference(_ one: UInt64, _ other: UInt64) -> Nanoseconds {
    clamped(one >= other ? Nanoseconds(clamping: one - other) : -Nanoseconds(clamping: other - one))
  }
}
