import OpTraceFormat
public import OpTraceModel

/// Random numbers that a seed repeats, so that a failure can be had again (SplitMix64: Steele, Lea, Flood 2014).
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(_ seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) &* 0xD134_2543_DE82_EF95 &+ 1 }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// From the range; its lower bound when it is empty.
  public mutating func number(_ range: Range<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(max(1, range.count)))
  }

  public mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
}

/// Blocks whose times often coincide, with operations between them; some never ran, were cancelled, dropped, or are
/// submitted by what is not there.
public enum RandomBlocks {
  public static func trace(_ random: inout SeededGenerator) throws -> Trace {
    let text = lines(&random).map { $0 + "\n" }.joined()
    return TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .nanoseconds)))
  }

  /// In the order of time.
  public static func lines(_ random: inout SeededGenerator) -> [String] {
    var lines = ["0 t1 queue q1 limit=2 \"queue\""]
    let queues = random.number(1..<4)
    for queue in 1...queues {
      lines.append("0 t0 dispatch-queue d\(queue) width=\(random.number(0..<3)) \"\(random.chance(80) ? "same" : "")\"")
    }
    var events: [(time: Int, text: String)] = []
    for id in 1...random.number(2..<120) {
      let submitted = random.number(0..<60)
      let began = submitted + random.number(0..<6)
      let ended = began + random.number(0..<12)
      let (one, other) = (random.number(1..<5), random.number(1..<5))
      if random.chance(20) {
        events.append((submitted, "t\(one) created #\(id) class=\"Step\""))
        events.append((submitted, "t\(one) enqueued #\(id) queue=q1 priority=0"))
        events.append((began, "t\(other) began #\(id)"))
        if random.chance(95) { events.append((ended, "t\(other) finished #\(id)")) }
        continue
      }
      let submitter = random.chance(60) ? " by=#\(random.number(1..<140))" : ""
      let queue = random.chance(90) ? " queue=d\(random.number(1..<(queues + 1)))" : ""
      events.append((submitted, "t\(one) submitted #\(id)\(submitter)\(queue) how=\(random.number(0..<4))"))
      if random.chance(5) { events.append((began, "t\(one) cancel #\(id)")) }
      if random.chance(5) {
        events.append((began, "t\(one) dropped #\(id)"))
      } else if random.chance(90) {
        events.append((began, "t\(other) run #\(id)"))
        if random.chance(95) { events.append((ended, "t\(other) ran #\(id)")) }
      }
    }
    return lines + events.sorted { $0.time < $1.time }.map { "\($0.time) \($0.text)" }
  }
}

/// Tasks whose times often coincide, with operations between them; records come in any order, some are missing.
public enum RandomTasks {
  public static func trace(_ random: inout SeededGenerator) throws -> Trace {
    let text = lines(&random).map { $0 + "\n" }.joined()
    return TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .nanoseconds)))
  }

  /// In the order of time.
  public static func lines(_ random: inout SeededGenerator) -> [String] {
    var events: [(time: Int, text: String)] = []
    let count = random.number(2..<80)
    for id in 1...count {
      var time = random.number(0..<60)
      var thread: Int { random.number(1..<5) }
      if random.chance(10) {
        events.append((time, "t\(thread) created #\(id) class=\"Step\""))
        events.append((time, "t\(thread) began #\(id)"))
        events.append((time + random.number(0..<30), "t\(thread) finished #\(id)"))
        continue
      }
      let by = random.chance(70) ? " by=#\(random.number(1..<count + 3))" : ""
      if random.chance(95) {
        let enqueued = random.chance(70) ? " enqueued" : ""
        events.append((time, "t\(thread) task #\(id)\(by) how=\(random.number(0..<4))\(enqueued)"))
      }
      for _ in 0..<random.number(0..<6) {
        time += random.number(0..<5)
        let on = thread
        events.append((time, "t\(on) task-run #\(id)"))
        time += random.number(0..<5)
        if random.chance(10) { break }
        let awaited = random.chance(30) ? " for=#\(random.number(1..<count + 3))" : ""
        events.append((time, "t\(on) task-suspended #\(id) reason=\(random.number(0..<6))\(awaited)"))
        if random.chance(80) {
          time += random.number(0..<5)
          let resumer = random.chance(60) ? " by=#\(random.number(1..<count + 3))" : ""
          if random.chance(30) { events.append((time, "t\(thread) task-resumed #\(id)\(resumer)")) }
          let kind = random.chance(30) ? "task-queued #\(id) actor=\(random.number(0..<4))" : "task-enqueued #\(id)"
          events.append((time, "t\(thread) \(kind)\(resumer)"))
        }
      }
      if random.chance(70) { events.append((time, "t\(thread) task-completed #\(id)")) }
      if random.chance(5) { events.append((time, "t\(thread) cancel #\(id)")) }
    }
    return ["0 t1 queue q1 limit=2 \"queue\""] + events.sorted { $0.time < $1.time }.map { "\($0.time) \($0.text)" }
  }
}
