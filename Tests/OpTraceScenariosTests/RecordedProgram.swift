import OpTraceModel
import Testing

/// A program that ran, and its trace.
protocol RecordedProgram {
  var trace: Trace { get }
  /// The lines that it printed.
  var lines: [String] { get }
}

extension RecordedProgram {
  func operation(_ title: String) throws -> OperationRecord {
    try #require(trace.operations.first { $0.title == title }, "no operation \(title)")
  }

  func operations(_ titles: String...) throws -> [OperationRecord] { try titles.map(operation) }

  func queue(_ name: String) throws -> QueueRecord {
    try #require(trace.queues.first { $0.name == name }, "no queue \(name)")
  }

  func operations(in queue: QueueRecord) -> [OperationRecord] { trace.operations.filter { $0.queue == queue.id } }

  func mark(_ name: String) throws -> MarkRecord {
    try #require(trace.marks.first { $0.name == name }, "no mark \(name)")
  }

  func wait(for target: WaitRecord.Target) throws -> WaitRecord {
    try #require(trace.waits.first { $0.target == target }, "no wait for \(target)")
  }

  func threadName(_ id: ThreadID?) -> String? { id.flatMap { trace.thread($0)?.name } }
}
