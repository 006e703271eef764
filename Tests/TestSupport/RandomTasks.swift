import OpTraceFormat
public import OpTraceModel

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
          events.append((time, "t\(thread) task-enqueued #\(id)\(resumer)"))
        }
      }
      if random.chance(70) { events.append((time, "t\(thread) task-completed #\(id)")) }
      if random.chance(5) { events.append((time, "t\(thread) cancel #\(id)")) }
    }
    return ["0 t1 queue q1 limit=2 \"queue\""] + events.sorted { $0.time < $1.time }.map { "\($0.time) \($0.text)" }
  }
}
