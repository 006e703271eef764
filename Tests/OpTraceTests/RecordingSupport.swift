import Foundation
import OpTrace
import OpTraceModel
import Testing

/// A file name that nobody else has, in a folder that is removed in the end.
final class Scratch {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String = "run.optrace") -> URL { folder.appendingPathComponent(name) }
}

/// Records what `body` does and reads it back. The trace must be sound and complete.
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

/// A gate that a test opens. Waits are bounded, so that a failure is a failure and not a hang.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func wait() { #expect(semaphore.wait(timeout: .now() + 600) == .success, "waited in vain") }
}

/// Values collected by any thread, in order.
final class Log<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [Value] = []
  func add(_ value: Value) { lock.withLock { values.append(value) } }
  func reset() { lock.withLock { values = [] } }
  var all: [Value] { lock.withLock { values } }
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
