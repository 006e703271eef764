import OpTraceModel
import OpTraceText

/// What operations, queues and threads are called in a report; fit for a terminal, whatever a program names them.
struct Names {
  private let trace: Trace
  private let queues: [QueueID: QueueRecord]
  private let threads: [ThreadID: ThreadRecord]

  init(_ trace: Trace) {
    self.trace = trace
    queues = Dictionary(trace.queues.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    threads = Dictionary(trace.threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// `'Load' (#3, App/Load.swift:12)`.
  func operation(_ operation: OperationRecord) -> String {
    let source = operation.source.map { ", \(Self.safe($0))" } ?? ""
    return "'\(Self.safe(operation.title))' (\(operation.id)\(source))"
  }

  /// `'Load' (#3)`.
  func operation(_ id: OperationID) -> String {
    trace.operation(id).map { "'\(Self.safe($0.title))' (\(id))" } ?? id.description
  }

  /// `'A' (#1), 'B' (#2) and 5 more`.
  func operations(_ ids: [OperationID], most: Int = 5) -> String {
    let shown = ids.prefix(most).map { operation($0) }.joined(separator: ", ")
    return ids.count > most ? "\(shown) and \(ids.count - most) more" : shown
  }

  func queue(_ queue: QueueRecord) -> String { queue.phrase(quoting: Self.safe) }

  func thread(_ id: ThreadID) -> String {
    guard let thread = threads[id] else { return id.description }
    if thread.isMain { return "the main thread" }
    return thread.name.isEmpty ? "thread \(thread.systemID)" : "thread \(thread.systemID) '\(Self.safe(thread.name))'"
  }

  func target(_ wait: WaitRecord) -> String {
    switch wait.target {
    case .operation(let id): operation(id)
    case .queue(let id): "\(queues[id].map(queue) ?? id.description) to be empty"
    case .object(let id): trace.object(id).map { Self.safe($0.title) } ?? id.description
    }
  }

  private static func safe(_ text: String) -> String { TextEscaping.oneLine(text, limit: 200) }
}
