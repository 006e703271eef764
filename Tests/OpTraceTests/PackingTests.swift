import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// Several events of an operation are combined in one record, except where they must not be.
@Suite("Combined records", .ownThread) struct PackingTests {
  /// The kinds of each operation's records, in the order of the file's chunks.
  private func kinds(_ file: URL) throws -> [UInt32: [EventKind]] {
    let bytes = try [UInt8](Data(contentsOf: file))
    var result: [UInt32: [EventKind]] = [:]
    var offset = Layout.Header.size
    while offset + Layout.Chunk.size <= bytes.count {
      let size = bytes[offset + Layout.Chunk.byteCount..<offset + Layout.Chunk.byteCount + 4]
        .reversed().reduce(0) { $0 << 8 | Int($1) }
      let fill = bytes[offset + Layout.Chunk.fill..<offset + Layout.Chunk.fill + 4]
        .reversed().reduce(0) { $0 << 8 | Int($1) }
      try #require(size > 0)
      try bytes[offset + Layout.Chunk.size..<offset + Layout.Chunk.size + fill].withUnsafeBytes { records in
        var at = 0
        while at + 8 <= records.count {
          let head = RecordHead(records.loadUnaligned(fromByteOffset: at, as: UInt64.self))
          let words = try RecordSize.fixedWords(kind: head.kind) ?? Self.words(records, at)
          at += words * 8
          guard let kind = EventKind(rawValue: head.kind), kind.spec.subject == .operation else { continue }
          result[head.subject, default: []].append(kind)
        }
      }
      offset += size
    }
    return result
  }

  /// The size of a record with a text, in words.
  private static func words(_ records: UnsafeRawBufferPointer, _ at: Int) throws -> Int {
    try #require(at + 16 <= records.count)
    let words = RecordLengths(records.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self)).words
    try #require(words > 0)
    return words
  }

  private func record(_ body: (TraceRecorder) throws -> Void) throws -> (kinds: [UInt32: [EventKind]], trace: Trace) {
    let scratch = try Scratch()
    let file = scratch.file()
    let recorder = try TraceRecorder(writingTo: file)
    try body(recorder)
    // A waiter continues when the operation is finished, which is before its `start()` has returned.
    try eventually("each start() has returned") {
      try TraceReader.read(path: file.path).operations.allSatisfy { $0.started == nil || $0.startReturned != nil }
    }
    try recorder.stop()
    #expect(TraceValidator.check(try TraceReader.events(path: file.path)).isEmpty)
    return (try kinds(file), try TraceReader.read(path: file.path))
  }

  private static func isLife(_ kind: EventKind) -> Bool {
    ![.waitBegan, .waitEnded, .blocked, .unblocked, .signalled, .finishSeen].contains(kind)
  }

  @Test("an operation without dependencies takes five records, which have all its events") func five() throws {
    let (kinds, trace) = try record { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      for _ in 0..<20 { queue.addOperation(TracedOperation()) }
      queue.waitUntilAllOperationsAreFinished()
      // The operations must be released.
      withExtendedLifetime(queue) {}
    }
    #expect(trace.operations.count == 20)
    for operation in trace.operations {
      let own = (kinds[operation.id.rawValue] ?? []).filter(Self.isLife)
      #expect(Set(own).isSubset(of: [.added, .startedBegan, .endedFinished, .startReturned, .released]), "\(own)")
      #expect(own.contains(.added) && own.contains(.startedBegan) && own.contains(.endedFinished), "\(own)")
      #expect(operation.coverage == .full && operation.state == .finished)
      #expect(operation.ready != nil && operation.ready?.time == operation.enqueued?.time)
      #expect(operation.started?.time == operation.executionBegan?.time)
      #expect(operation.executionEnded?.time == operation.finished?.time)
      let times = [operation.enqueued, operation.started, operation.finished, operation.startReturned].compactMap {
        $0?.time
      }
      #expect(times.count == 4 && times == times.sorted())
      #expect(operation.startCount == 1 && operation.finishCount == 1 && operation.enqueueCount == 1)
    }
  }

  @Test("an operation that depends on the previous one takes six records, and becomes ready after it")
  func chain() throws {
    let (kinds, trace) = try record { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let operations = (0..<5).map { _ in TracedOperation() }
      for (first, second) in zip(operations, operations.dropFirst()) { second.addDependency(first) }
      for operation in operations { queue.addOperation(operation) }
      queue.waitUntilAllOperationsAreFinished()
    }
    for operation in trace.operations.dropFirst() {
      let own = (kinds[operation.id.rawValue] ?? []).filter(Self.isLife)
      #expect(own.contains(.addedBehindLast) && own.contains(.ready) && own.count <= 6, "\(own)")
      #expect(operation.dependencies.map(\.on.rawValue) == [operation.id.rawValue - 1])
      let last = try #require(trace.operation(OperationID(operation.id.rawValue - 1)))
      #expect((operation.ready?.time ?? .min) >= (last.finished?.time ?? .max))
    }
  }

  @Test("an operation with a name has its own description, and is ready when it is added") func named() throws {
    let (kinds, trace) = try record { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      queue.addOperation(named: "page") {}
      queue.waitUntilAllOperationsAreFinished()
    }
    let page = try trace.operation(named: "page")
    let own = (kinds[page.id.rawValue] ?? []).filter(Self.isLife)
    #expect(own.prefix(3) == [.operationCreated, .operationNamed, .enqueuedReady], "\(own)")
    #expect(page.ready?.time == page.enqueued?.time)
  }

  @Test("an operation that is cancelled before its start does not begin, but its start is recorded")
  func cancelled() throws {
    let (kinds, trace) = try record { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      queue.isSuspended = true
      let operation = TracedOperation()
      queue.addOperation(operation)
      operation.cancel()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
    let operation = try #require(trace.operations.first)
    let own = kinds[operation.id.rawValue] ?? []
    #expect(!own.contains(.startedBegan) && !own.contains(.endedFinished), "\(own)")
    #expect(operation.started != nil && operation.executionBegan == nil && operation.finished != nil)
    #expect(operation.startReturned != nil && operation.state == .cancelled)
  }

  @Test("a class with its own `isExecuting` has a record for its start and one for its begin")
  func ownExecuting() throws {
    let (kinds, trace) = try record { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      queue.addOperations([AsksItself()], waitUntilFinished: true)
    }
    let operation = try #require(trace.operations.first)
    let own = kinds[operation.id.rawValue] ?? []
    #expect(own.contains(.started) && own.contains(.executionBegan) && !own.contains(.startedBegan), "\(own)")
    #expect(operation.state == .finished)
  }
}

private final class AsksItself: TracedOperation, @unchecked Sendable {
  override var isExecuting: Bool { super.isExecuting }
}
