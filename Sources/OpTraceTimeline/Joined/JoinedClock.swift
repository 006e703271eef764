package import OpTraceModel

/// The clock that several traces share: when each of them began on it.
///
/// Processes of one run of one system share its monotonic clock. Other traces are joined by the wall clocks at their
/// starts; if calls between them do not lie as they must, their clock is moved.
package struct JoinedClock: Sendable {
  /// A correction of one system's clock.
  package struct Move: Equatable, Sendable {
    /// The traces on this clock.
    package var traces: [Int]
    /// How much later they are now, in nanoseconds.
    package var by: Nanoseconds
    /// The number of calls that the move is based on: those between these traces and the ones placed before them.
    package var calls: Int
    /// The number of these calls that still do not lie as they must.
    package var misfits: Int
  }

  /// When each trace began, in nanoseconds since the first one did.
  package private(set) var starts: [Nanoseconds]
  /// The clocks that were moved.
  package private(set) var moves: [Move] = []
  /// The traces for which neither a clock nor a call tells when they began. They are drawn from the beginning.
  package private(set) var unknown: [Int] = []

  /// A limit on times: more than any time of a trace, and small enough that the sum of a few does not overflow.
  private static let most: Nanoseconds = 1 << 57
  /// The latest wall-clock time, in the year 2116.
  private static let latestWall: Nanoseconds = 1 << 62

  /// Places the traces. O(n log n) for n calls, and O(traces²).
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

  /// Places the traces by the clocks at their starts. Returns, for each system, whether its wall clock is known.
  private mutating func place(_ systems: [[Int]], _ traces: [Trace]) -> [Bool] {
    /// The wall clock of each system at the start of its first trace.
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

  /// Moves clocks as calls require: one system after another, each relative to those before it; systems that have calls
  /// with those come first.
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

  /// Groups the traces by run of a system, and returns their numbers in order.
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

  /// Returns the calls between two systems, by each of these systems.
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
