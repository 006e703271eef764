import OpTraceBlame
import OpTraceFormat
import OpTraceKernel
package import OpTraceModel

/// How an event loop is used, and what its long turns did.
package struct LoopUse: Sendable {
  /// A turn of 10 ms or more.
  package struct Turn: Sendable {
    package var began: Nanoseconds
    package var ended: Nanoseconds
  }

  /// Code that ran or waited in long turns.
  package struct Held: Sendable {
    /// An index in ``Requests/locations``.
    package var location: Int32
    package var time: Nanoseconds
    /// Whether the loop waited there, for example in a sleep, and used no processor.
    package var isWait: Bool
    package var what: String
  }

  package var thread: ThreadID
  /// The thread's name, else its number.
  package var name: String
  package var turns: Int
  package var utilisation: Double
  package var longest: Nanoseconds
  /// Its long turns, in the order of time.
  package var long: [Turn] = []
  /// Where the time of long turns went, the most time first, as far as waits and samples show.
  package var held: [Held] = []
  /// What took most of the time of long turns, if that is known for at least a quarter of it.
  package var mostly: Held? { held.first.flatMap { $0.time * 4 >= longTime ? $0 : nil } }
  package var longTime: Nanoseconds { long.reduce(0) { $0.saturating($1.ended - $1.began) } }

  /// All event loops. O(turns + samples and waits in long turns).
  ///
  /// - Parameter window: what loops did in it, without loops that did nothing; nil: all.
  static func all(
    _ trace: Trace, _ code: inout ProgramCode, _ threads: ThreadActivity, within window: ClosedRange<Nanoseconds>? = nil
  ) -> [LoopUse] {
    let loops = trace.eventLoops.filter { $0.turns > 0 || $0.openTurn != nil && window != nil }
    guard !loops.isEmpty else { return [] }
    var waits: [ThreadID: [WaitRecord]] = [:]
    let ofLoops = Set(loops.map(\.thread))
    for wait in trace.waits + trace.holdups where ofLoops.contains(wait.thread) {
      waits[wait.thread, default: []].append(wait)
    }
    for thread in waits.keys { waits[thread]?.sort { $0.began < $1.began } }
    return loops.compactMap { loop in
      let thread = trace.thread(loop.thread)
      let name = thread.map { $0.name.allSatisfy(\.isWhitespace) ? "" : $0.name } ?? ""
      var use = LoopUse(
        thread: loop.thread, name: name.isEmpty ? loop.thread.description : name, turns: loop.turns,
        utilisation: loop.utilisation, longest: loop.longest)
      use.long = loop.longTurns.map { Turn(began: $0.began, ended: max($0.began, $0.ended ?? trace.end)) }
      if let window, !use.restrict(to: window, loop, traceEnd: trace.end) { return nil }
      use.tell(trace, waits[loop.thread] ?? [], threads, &code)
      return use
    }
  }

  /// Reduces the figures to what it did in a window; false: nothing. O(seconds + long turns).
  private mutating func restrict(
    to window: ClosedRange<Nanoseconds>, _ loop: LoopRecord, traceEnd: Nanoseconds
  ) -> Bool {
    let upper = min(window.upperBound, traceEnd)
    (turns, longest) = (0, 0)
    var (busy, idle) = (0.0, 0.0)
    // A second that is only partly in the window counts in proportion.
    for second in loop.seconds where second.time >= window.lowerBound && second.began < upper {
      let length = Double(second.time - second.began)
      let part = Double(min(second.time, upper) - max(second.began, window.lowerBound))
      let share = length > 0 ? part / length : 0
      busy += Double(second.busy) * share
      idle += Double(second.idle) * share
      guard second.time <= upper else { continue }
      turns += second.turns
      longest = max(longest, second.longest)
    }
    long.removeAll { $0.ended < window.lowerBound || $0.began > upper }
    for turn in long where turn.ended <= upper { longest = max(longest, turn.ended - turn.began) }
    // The open turn is not yet included in the seconds.
    if let open = loop.openTurn {
      let told = loop.seconds.last?.time ?? .min
      busy += Double(max(0, upper - max(open.began, told, window.lowerBound)))
    }
    utilisation = busy + idle > 0 ? busy / (busy + idle) : 0
    return turns > 0 || !long.isEmpty
  }

  /// Functions with at least this share of the largest time count as equal; the innermost of them is named.
  private static let nearlyAll = 0.8

  private mutating func tell(
    _ trace: Trace, _ waits: [WaitRecord], _ threads: ThreadActivity, _ code: inout ProgramCode
  ) {
    struct Ran {
      var time: Nanoseconds = 0
      var depths = 0
      var samples = 0
      var depth: Double { Double(depths) / Double(max(1, samples)) }
    }
    var waited: [Int32: (time: Nanoseconds, what: String)] = [:]
    var ran: [Int32: Ran] = [:]
    for turn in long {
      var asleep: Nanoseconds = 0
      for wait in waits[waits.firstSorted { $0.ended ?? trace.end > turn.began }...].prefix(while: {
        $0.began < turn.ended
      }) {
        let time = max(0, min(turn.ended, wait.ended ?? trace.end) - max(turn.began, wait.began))
        let location = code.path(wait.at).function
        waited[location] = ((waited[location]?.time ?? 0).saturating(time), Self.words(wait, trace))
        asleep = asleep.saturating(time)
      }
      let stacks = threads.stacks(on: thread, turn.began, turn.ended)
      guard !stacks.isEmpty else { continue }
      let share = max(0, turn.ended - turn.began - min(asleep, turn.ended - turn.began)) / Nanoseconds(stacks.count)
      for stack in stacks {
        var seen: Set<Int32> = []
        for (depth, function) in code.path(stack).functions.enumerated().reversed() where seen.insert(function).inserted
        {
          ran[function, default: Ran()].time = (ran[function]?.time ?? 0).saturating(share)
          ran[function, default: Ran()].depths += depth
          ran[function, default: Ran()].samples += 1
        }
      }
    }
    held = waited.filter { $0.key >= 0 && $0.value.time > 0 }
      .map { Held(location: $0.key, time: $0.value.time, isWait: true, what: $0.value.what) }
    let most = ran.values.map(\.time).max() ?? 0
    let first = ran.filter { Double($0.value.time) >= Double(most) * Self.nearlyAll }
      .max { ($0.value.depth, $1.key) < ($1.value.depth, $0.key) }
    if let first, first.value.time > 0 {
      held.append(
        Held(location: code.location(ofFunction: first.key), time: first.value.time, isWait: false, what: "runs"))
    }
    held.sort { ($1.time, $0.location) < ($0.time, $1.location) }
  }

  private static func words(_ wait: WaitRecord, _ trace: Trace) -> String {
    switch wait.target {
    case .object(let id):
      trace.object(id)?.kind == .sleep ? "sleeps" : "waits for \(trace.object(id)?.title ?? "an object")"
    case .operation(let id): "waits for operation \(id)"
    case .queue: "waits for a queue"
    }
  }

  /// How much of a stretch it spent in long turns. O(log turns + turns there).
  func turns(from: Nanoseconds, to: Nanoseconds) -> Nanoseconds {
    long[long.firstSorted { $0.ended > from }...].prefix { $0.began < to }
      .reduce(0) { $0.saturating(max(0, min(to, $1.ended) - max(from, $1.began))) }
  }
}
