import OpTraceFormat
public import OpTraceModel

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
