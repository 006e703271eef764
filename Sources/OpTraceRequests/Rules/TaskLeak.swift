import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let taskLeak = Trouble("task-leak", .slow)
}

extension DoctorRule {
  /// Twenty or more tasks made by requests that are over, of which nine in ten are not over themselves. They were made
  /// over at least half of the time in which such requests ran, so they do not merely take long. Tasks for connections
  /// do not count: the code that accepts connections is no request.
  static let taskLeak = DoctorRule(
    .taskLeak, .warning,
    Guide(
      """
      Each request makes a task that does not end: it waits for a time or an event that is far away, or for a stream that nobody \
      finishes. Memory grows with each. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        func answer(_ request: Request) async -> Response {
          Task { for await event in feed.events(of: request.id) { log(event) } }   // nobody finishes it
          return await page(request)
        }
        """,
      right: """
        func answer(_ request: Request) async -> Response {
          let watcher = Task { for await event in feed.events(of: request.id) { log(event) } }
          defer { watcher.cancel() }
          return await page(request)
        }
        """)
  ) { context in
    context.requests.leaks.compactMap { context.leak($0) }
  }
}

extension DoctorContext {
  private static let leastLeaked = 20

  fileprivate func leak(_ leak: Requests.Leak) -> Finding? {
    guard leak.alive >= Self.leastLeaked, leak.alive * 10 >= leak.created * 9, let activity = requestTime,
      (leak.last - leak.first) * 2 >= activity, leak.last - leak.first >= Self.leastLeakTime
    else { return nil }
    let code = leak.code < 0 ? nil : requests.locations[Int(leak.code)]
    let location = leak.location < 0 ? code : requests.locations[Int(leak.location)]
    let doing = leak.reason == .sleep ? "sleeping" : "waiting"
    let rate = leak.rate >= 10 ? "\(Int(leak.rate.rounded()))" : "\((leak.rate * 10).rounded() / 10)"
    var finding = Finding(
      .taskLeak, .warning, ending: .itWorks,
      title: "\(Self.count(leak.alive, "task")) '\(Self.shown(leak.name))' are alive, \(rate) more each second, and "
        + "\(leak.alive == leak.created ? "none has" : "only \(leak.created - leak.alive) have") ended",
      explanation: "Requests make them and are over; the tasks are still \(doing)\(Self.phrase(location)).",
      fix: "End them with what they are for: cancel them, finish the stream that they read, or wait for a shorter time."
    )
    finding.location = location
    finding.explains = 0.5
    finding.evidence.append(.init(time: leak.first, "the first of them was made\(Self.phrase(code))"))
    finding.evidence.append(.init(time: leak.last, "the last of them was made"))
    return finding
  }

  private static let leastLeakTime: Nanoseconds = 1_000_000_000
}
