public import OpTraceKernel
public import OpTraceModel
public import OpTraceText

/// What every thread does, for people: one paragraph per thread, the innermost function first.
public struct StacksText: Sendable {
  private let statuses: ThreadStatuses
  private let trace: Trace
  private let isFull: Bool
  private let style: TextStyle
  private let names: [ThreadID: String]

  /// - Parameters:
  ///   - trace: the one that `statuses` is of.
  ///   - isFull: show every system frame; otherwise consecutive ones are one line.
  ///   - style: how it is laid out.
  public init(_ statuses: ThreadStatuses, of trace: Trace, isFull: Bool = false, style: TextStyle = .plain) {
    self.statuses = statuses
    self.trace = trace
    self.isFull = isFull
    self.style = style
    names = Dictionary(
      trace.threads.map { ($0.id, Self.title($0.id, $0.name, isMain: $0.isMain)) }, uniquingKeysWith: { $1 })
  }

  /// Ends with a line end. O(frames of all threads).
  public var text: String {
    ([head] + statuses.threads.map(paragraph)).joined(separator: "\n")
  }

  private var head: String {
    let header = trace.header
    let process = header.processName.isEmpty ? "process" : TerminalText.printable(header.processName)
    let of = header.processID > 0 ? " (pid \(header.processID))" : ""
    var text = lines([(process, .strong), ("\(of): \(moment)", nil)])
    if !statuses.threads.isEmpty {
      let counts = ThreadStatus.State.allCases.compactMap { state -> String? in
        let count = statuses.threads.count { $0.state == state }
        return count > 0 ? "\(grouped(count)) \(state.rawValue)" : nil
      }
      text += "  " + lines([("\(counted(statuses.threads.count, "thread")): \(counts.joined(separator: ", "))", nil)])
    }
    guard let snapshot = statuses.snapshot else { return text }
    if snapshot.isPartial { text += "  the snapshot was cut off: threads may be missing\n" }
    if snapshot.refused > 0 { text += "  the system refused to show \(counted(snapshot.refused, "more thread"))\n" }
    return text
  }

  private var moment: String {
    guard let snapshot = statuses.snapshot else {
      return "no snapshot of its threads"
        + (statuses.threads.isEmpty
          ? ", and none waits or runs an operation" : "; these wait or run operations at the trace's end")
    }
    if let origin = trace.origin { return origin.isCore ? "read from a core file" : "seen from outside, not recorded" }
    var text = "snapshot \(duration(snapshot.time)) after the start"
    if statuses.wentOn { return text + "; it continued afterwards" }
    if let last = statuses.lastSign, snapshot.time > last {
      text += "; nothing had moved for \(duration(snapshot.time - last))"
    }
    return text
  }

  private func paragraph(_ thread: ThreadStatus) -> String {
    let title = Self.title(thread.id, thread.name, isMain: thread.isMain)
    let tid = thread.systemID > 0 ? " (tid \(thread.systemID))" : ""
    let wait = thread.waitsFor.map { ", waits for " + words($0, thread) } ?? ""
    var text = lines([
      (title, .strong), ("\(tid): ", nil), (thread.state.rawValue, thread.state == .blocked ? .warning : .good),
      (wait, nil),
    ])
    if let operation = thread.operation {
      let name = trace.work(operation)?.title ?? ""
      text += "  runs \(trace.task(operation) == nil ? "operation" : "task") \(shown(name)) \(operation)\n"
    }
    if let sampled = thread.sampledAt {
      text += style.paint(.faint, "  where it computed \(duration(max(0, statuses.time - sampled))) before:") + "\n"
    }
    let frames = trace.stacks.frames(thread.stack)
    if frames.isEmpty { return text + "  " + lines([("  no stack: \(reason(thread))", .faint)]) }
    return text
      + StackLines(frames, isFull: isFull).lines.map { line in
        let shown = style.cutsTexts ? TerminalText.fitting(line.text, style.width - 4) : line.text
        return "    " + (line.isOwn ? shown : style.paint(.faint, shown)) + "\n"
      }.joined()
  }

  /// The parts in one line; on a terminal in as many as they need, and then only what is left of the first ones' styles.
  private func lines(_ parts: [(text: String, role: TextStyle.Role?)]) -> String {
    func painted(_ part: (text: String, role: TextStyle.Role?)) -> String {
      part.role.map { style.paint($0, part.text) } ?? part.text
    }
    let plain = parts.map(\.text).joined()
    guard style.cutsTexts, TerminalText.columns(of: plain) > style.width - 2 else {
      return parts.map(painted).joined() + "\n"
    }
    var wrapped = TerminalText.wrapped(plain, to: style.width - 2)
    // The styles are those of the parts that fit into the first line as a whole.
    var rest = wrapped[0][...]
    var first = ""
    for part in parts {
      guard rest.hasPrefix(part.text) else { break }
      first += painted(part)
      rest = rest.dropFirst(part.text.count)
    }
    wrapped[0] = first + rest
    return wrapped.joined(separator: "\n  ") + "\n"
  }

  private func reason(_ thread: ThreadStatus) -> String {
    if thread.state == .running, statuses.snapshot != nil { return "it was running on a processor" }
    return "none was recorded"
  }

  /// `the main thread waits for semaphore 1`; nil: it waits for nothing.
  package func sentence(of thread: ThreadStatus) -> String? {
    guard var awaited = thread.waitsFor else { return nil }
    awaited.since = nil
    let title = Self.title(thread.id, thread.name, isMain: thread.isMain)
    return (thread.isMain ? "the \(title)" : title) + " waits for " + words(awaited, thread)
  }

  private func words(_ awaited: ThreadStatus.Awaited, _ thread: ThreadStatus) -> String {
    var text: String
    switch awaited.kind {
    case .operation: text = "operation \(shown(awaited.name ?? "")) \(number(awaited))"
    case .queue: text = trace.queue(QueueID(UInt32(clamping: awaited.id ?? 0)))?.phrase(quoting: printable) ?? "a queue"
    case .adding: text = "a call that adds to a queue"
    case .semaphore, .group, .dispatchQueue, .condition, .object:
      let object = trace.object(ObjectID(UInt32(clamping: awaited.id ?? 0)))
      text = object.map { printable($0.title) } ?? "an object"
    case .thread where awaited.id != nil:
      text = "the end of " + name(ThreadID(UInt32(clamping: awaited.id ?? 0)))
    case .lock, .thread, .signal, .input, .time, .process, .systemSignal: text = awaited.words ?? awaited.kind.rawValue
    }
    if let address = awaited.address, awaited.kind == .lock { text += " 0x" + String(address, radix: 16) }
    if let since = awaited.since, statuses.time > since, !TraceOrigin.isUnknown(statuses.time - since) {
      text += " for \(duration(statuses.time - since))"
    }
    if awaited.isTimed { text += " (with a timeout)" }
    if let owner = thread.owner {
      text += ", held by \(name(owner))"
    } else if thread.ownerHasEnded {
      text += ", held by a thread that has ended"
    }
    return text
  }

  private func number(_ awaited: ThreadStatus.Awaited) -> String { awaited.id.map { "#\($0)" } ?? "" }
  private func shown(_ name: String) -> String { "'\(printable(name))'" }
  private func printable(_ text: String) -> String { TerminalText.printable(text) }
  private func name(_ id: ThreadID) -> String { names[id] ?? id.description }

  /// The threads of a pool share a name, so the number is shown too.
  private static func title(_ id: ThreadID, _ name: String, isMain: Bool) -> String {
    if isMain { return "main thread" }
    if ThreadRecord(id: id, systemID: 0, name: name, isMain: false).isOfPool { return "\(id) of libdispatch's pool" }
    return name.isEmpty ? id.description : "\(id) '\(TerminalText.printable(name))'"
  }
}
