import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Records `body` and reads the trace, which must be sound and complete.
func recorded(
  _ configuration: TraceRecorder.Configuration = .init(), _ body: (TraceRecorder) throws -> Void
) throws -> Trace {
  let scratch = try Scratch()
  let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: configuration)
  try body(recorder)
  try recorder.stop()
  let trace = try TraceReader.read(path: scratch.file().path)
  #expect(trace.header.isClosed)
  #expect(trace.loss.damage == [])
  #expect(trace.loss.lostCount == 0)
  return trace
}

extension Trace {
  func operation(named name: String) throws -> OperationRecord {
    try #require(operations.first { $0.name == name }, "no operation called \(name)")
  }
}

final class AsyncWork: TracedAsyncOperation, @unchecked Sendable {
  let work: @Sendable (AsyncWork) -> Void
  init(name: String? = nil, _ work: @escaping @Sendable (AsyncWork) -> Void) {
    self.work = work
    super.init()
    if let name { self.name = name }
  }
  override func execute() { work(self) }
}

final class SyncWork: TracedOperation, @unchecked Sendable {
  let work: @Sendable (SyncWork) -> Void
  init(name: String? = nil, _ work: @escaping @Sendable (SyncWork) -> Void) {
    self.work = work
    super.init()
    if let name { self.name = name }
  }
  override func main() { work(self) }
}
