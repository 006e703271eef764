public import OpTraceModel

/// A trace of a service, in microseconds: tasks that serve a connection each, in rounds, on threads 2 to 4.
public struct ServiceTrace: Sendable {
  public var trace = SampledTrace()
  private var last = 0

  public init(sampled: Bool = false) {
    trace.frame.isClosed = true
    if sampled { trace.sampling() }
  }

  /// A new number.
  public mutating func number() -> Int {
    last += 1
    return last
  }

  public mutating func add(_ time: Int, _ thread: Int, _ event: String) { trace.add("\(time) t\(thread) \(event)") }

  /// A task that runs `function`, made by `by` (0: nobody's work).
  public mutating func task(_ time: Int, _ function: String, by: Int = 0, how: Int = 0, thread: Int = 2) -> Int {
    let id = number()
    add(time, thread, "task #\(id) by=#\(by) how=\(how) priority=21 enqueued code=\(trace.stack([function]))")
    return id
  }

  public mutating func run(_ time: Int, _ id: Int, thread: Int = 2) { add(time, thread, "task-run #\(id)") }
  public mutating func end(_ time: Int, _ id: Int, thread: Int = 2) { add(time, thread, "task-completed #\(id)") }

  /// It waits at a stack, outermost function first. `reason`: 2 a continuation, 3 a group, 4 an executor, 5 a sleep.
  public mutating func suspend(_ time: Int, _ id: Int, at stack: [String], reason: Int = 2, thread: Int = 2) {
    add(time, thread, "task-suspended #\(id) reason=\(reason)")
    add(time, thread, "at \(trace.stack(stack))")
  }

  /// Its continuation is resumed, by work or (0) by a thread that runs none, and it waits for a thread.
  public mutating func resume(_ time: Int, _ id: Int, by: Int = 0, how: Int = 0, thread: Int = 5) {
    add(time, thread, "task-resumed #\(id) by=#\(by) how=\(how)")
    add(time, thread, "task-enqueued #\(id) by=#\(by)")
  }

  /// A connection's task that idles from `time` on.
  public mutating func connection(_ time: Int, _ loop: [String] = ["serve()"], thread: Int = 2) -> Int {
    let id = task(time, loop[0], thread: thread)
    run(time + 1, id, thread: thread)
    suspend(time + 2, id, at: loop + ["next()"], thread: thread)
    return id
  }

  /// A round that begins at `time` and waits once at `stack` for `waited`; then it idles again.
  public mutating func round(
    _ time: Int, _ id: Int, _ stack: [String], waited: Int, by: Int = 0, loop: [String] = ["serve()"], thread: Int = 2
  ) {
    resume(time, id)
    run(time + 10, id, thread: thread)
    suspend(time + 20, id, at: loop + stack, thread: thread)
    resume(time + 20 + waited, id, by: by)
    run(time + 30 + waited, id, thread: thread)
    suspend(time + 40 + waited, id, at: loop + ["next()"], thread: thread)
  }

  /// The text form. `end`: the recorder's last sign of life.
  public func text(end: Int? = nil) -> String {
    var whole = trace
    if let end { whole.frame.heartbeat = end * 1000 }
    return whole.text
  }

  public func built(end: Int? = nil) throws -> Trace { TraceBuilder.build(try TraceText.parse(text(end: end))) }
}
