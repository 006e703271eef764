import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let streamBacklog = Trouble("stream-backlog", .slow)
}

extension DoctorRule {
  /// A task that used to wait for elements of an `AsyncStream`, but has not had to for at least three seconds and a
  /// third of the time. Meanwhile it handled 50 or more elements, and requests fed the stream. If a stream only reads a
  /// file, nobody waits for its reader.
  static let streamBacklog = DoctorRule(
    .streamBacklog, .warning,
    Guide(
      """
      A stream's reader is slower than what yields into it: its next element is always there already. Without a limit the \
      buffer grows, and so does the memory. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        let (entries, log) = AsyncStream.makeStream(of: Entry.self)          // keeps all that nobody has read
        """,
      right: """
        let (entries, log) = AsyncStream.makeStream(of: Entry.self, bufferingPolicy: .bufferingNewest(1000))
        // Or the producer waits for its reader: an AsyncChannel of swift-async-algorithms.
        """)
  ) { context in
    context.requests.backlogs.compactMap { context.backlog($0) }
  }
}

extension DoctorContext {
  private static let leastBusy: Nanoseconds = 3_000_000_000

  fileprivate func backlog(_ one: Requests.Backlog) -> Finding? {
    let busy = trace.end - one.since
    guard one.isFedByRequests, one.handled >= Requests.Backlog.leastHandled, busy >= Self.leastBusy,
      busy * 3 >= requestTime ?? .max
    else {
      return nil
    }
    let reader = one.reader < 0 ? nil : requests.locations[Int(one.reader)]
    let location = one.location < 0 ? reader : requests.locations[Int(one.location)]
    let fix =
      "Give the stream a limit (bufferingPolicy), let what yields wait for its reader, or handle several elements at once."
    let shown = "'\(Self.shown(reader?.function ?? "a task"))'"
    let buffer = "What is not read yet is in the stream's buffer, which grows unless it has a limit."
    var finding =
      if let requests = one.requests {
        Finding(
          .streamBacklog, .note, ending: .itWorks,
          title:
            "\(shown) has not had to wait for an element of the stream that it reads \(since(one.since))\(Self.line(reader)), while "
            + "\(requests) requests came like the one that fed it then: if these feed it, too, it does not keep up",
          explanation:
            "Nothing tells how often \(name(one.work)) waits for one element, so it may be busy with a single one. \(buffer)",
          fix: fix)
      } else {
        Finding(
          .streamBacklog, .warning, ending: .itWorks,
          title:
            "\(shown) does not keep up with the stream that it reads: the next element has always been there "
            + "\(since(one.since))\(Self.line(reader))",
          explanation:
            "\(name(one.work)) has handled at least \(one.handled) elements since it last had to wait for one. \(buffer)",
          fix: fix)
      }
    finding.location = reader
    finding.explains = 0.5
    finding.evidence.append(.init(time: one.since, "it got an element that it had waited for, the last time"))
    finding.evidence.append(
      .init("\(one.requests == nil ? "between two elements" : "instead") it waits\(Self.phrase(location))"))
    return finding
  }
}
