public import OpTraceModel

/// The trace of a service that has spans of its own tracer, in the text form. Times are milliseconds, and all spans are on the main
/// thread.
public struct CallingService: Sendable {
  public var process: String
  public var processID: Int
  /// Milliseconds since an hour in 2026; nil: the header has no wall clock.
  public var wall: Int?
  /// Of the run of the system, if it is known, with milliseconds of its clock.
  public var boot: (run: Int, monotonic: Int)?
  private var lines: [(time: Int, text: String)] = []
  private var count = 0

  public init(_ process: String, _ processID: Int, wall: Int? = 0, boot: (run: Int, monotonic: Int)? = nil) {
    (self.process, self.processID, self.wall, self.boot) = (process, processID, wall, boot)
  }

  /// - Parameters:
  ///   - ended: nil: it never does.
  ///   - id: of the span, among all traces.
  ///   - caller: the span of another process that it serves.
  ///   - links: spans of other processes.
  ///   - operation: in which it began; 0: in none.
  public mutating func span(
    _ name: String, _ kind: SpanRecord.Kind, _ began: Int, _ ended: Int?, id: Int, caller: Int? = nil,
    links: [Int] = [],
    in operation: Int = 0
  ) {
    count += 1
    lines.append((began, "t1 span #\(operation) id=\(count) \"\(name)\""))
    let remote = caller.map { "-" + Self.digits($0, 16) } ?? ""
    lines.append((began, "t1 span-context s\(count) parent=0 kind=\(kind.rawValue) \"\(Self.ids(id))\(remote)\""))
    for link in links { lines.append((began, "t1 span-link s\(count) to=0 \"\(Self.ids(link))\"")) }
    if let ended { lines.append((ended, "t1 span-ended s\(count)")) }
  }

  /// An operation on queue "work", on the second thread. Gives its number.
  @discardableResult
  public mutating func operation(_ name: String, _ began: Int, _ ended: Int) -> Int {
    if !lines.contains(where: { $0.text.contains(" queue q1 ") }) { lines.append((0, "t1 queue q1 limit=1 \"work\"")) }
    count += 1
    lines += [
      (began, "t1 created #\(count) class=\"Step\""), (began, "t1 named #\(count) \"\(name)\""),
      (began, "t1 enqueued #\(count) queue=q1 priority=0"), (began, "t1 ready #\(count)"),
      (began, "t2 started #\(count)"), (began, "t2 began #\(count)"), (ended, "t2 ended #\(count)"),
      (ended, "t2 finished #\(count)"),
    ]
    return count
  }

  public var text: String {
    var head = "optrace text 1\nprocess \(processID) \"\(process)\"\n"
    if let boot { head += "boot \(Self.digits(boot.run, 32))\n" }
    head += "writer \"0.2.0\"\nmode streaming\n"
    if let wall { head += "wall \(1_790_000_000_000 + wall)000000\n" }
    head += "monotonic \(boot?.monotonic ?? 0)000000\nstate closed\n\n0 t1 thread t1 tid=\(processID) \"main\"\n"
    head += "0 t2 thread t2 tid=\(processID + 1) \"worker\"\n"
    let ordered = lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    return ordered.reduce(into: head) { $0 += "\($1.element.time)000000 \($1.element.text)\n" }
  }

  public func read() throws -> Trace { TraceBuilder.build(try TraceText.parse(text)) }

  private static func ids(_ id: Int) -> String { digits(0xA11CE, 32) + "-" + digits(id, 16) }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
