import Foundation
import OpTrace
import TestSupport
import Testing

@testable import OpTraceModel
@testable import OpTracePacked

@Suite("Packing recorded traces", .ownThread)
struct PackedRecordingTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-pack-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private static func pack(_ url: URL) throws -> [UInt8] {
    var packed: [UInt8] = []
    _ = try TracePacker.pack(path: url.path) { packed += $0 }
    return packed
  }

  /// Each operation depends on the one before it.
  private func record(_ count: Int, to url: URL) throws {
    let recorder = try TraceRecorder(writingTo: url)
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
    for start in stride(from: 0, to: count, by: 500) {
      var batch: [Operation] = []
      for _ in start..<min(count, start + 500) {
        let operation = TracedOperation()
        if let before = batch.last { operation.addDependency(before) }
        batch.append(operation)
      }
      queue.addOperations(batch, waitUntilFinished: true)
    }
    try recorder.stop()
  }

  /// A stored trace of an optimised program, so that the precision of its times, and the packed size, do not depend on
  /// the load of this machine. It is stored packed with checksums, so it pins the format, too.
  @Test("a recorded chain packs into at most 12 bytes per operation") func size() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")
    let stored = [UInt8](try Data(contentsOf: folder.appendingPathComponent("chain-10000.optracez")))
    let trace = try Packed.read(stored)
    #expect(!trace.loss.isDamaged)
    let count = trace.operations.count
    #expect(count == 10_000)
    #expect(trace.operations.reduce(0) { $0 + $1.dependencies.count } >= count * 99 / 100)
    let plain = try Packed.unpack(stored)
    #expect(plain.count >= 90 * count)
    let packed = try Packed.pack(plain)
    #expect(packed.count <= 12 * count, "\(packed.count) bytes")
    #expect(try Packed.unpack(packed) == plain)
  }

  @Test("a fifth at most, when a loaded machine spreads the times") func recordedNow() throws {
    let folder = try Folder()
    let url = folder.url.appendingPathComponent("run.optrace")
    try record(2000, to: url)
    let packed = try Self.pack(url)
    let plain = [UInt8](try Data(contentsOf: url))
    #expect(packed.count * 5 <= plain.count, "\(packed.count) of \(plain.count) bytes")
    #expect(try Packed.unpack(packed) == plain)
    #expect(try Packed.read(packed).operations.count == 2000)
  }

  @Test("the trace of an idle recorder can be packed") func atRest() throws {
    let folder = try Folder()
    let url = folder.url.appendingPathComponent("run.optrace")
    let recorder = try TraceRecorder(writingTo: url)
    recorder.mark("here")
    let packed = try Self.pack(url)
    let trace = try Packed.read(packed)
    #expect(trace.marks.map(\.name) == ["here"])
    #expect(!trace.header.isClosed && !trace.loss.isDamaged)
    try recorder.stop()
  }

  @Test("a trace that is being written can be packed without damage", arguments: [0, 1 << 20])
  func moving(capacity: Int) throws {
    let folder = try Folder()
    let url = folder.url.appendingPathComponent("run.optrace")
    let configuration: TraceRecorder.Configuration = capacity == 0 ? .streaming : .flightRecorder(capacity: capacity)
    let recorder = try TraceRecorder(writingTo: url, configuration: configuration)
    let ends = DispatchGroup()
    let isOver = Flag()
    for _ in 0..<2 {
      ends.enter()
      Thread.detachNewThread {
        var number = 0
        while !isOver.isSet {
          number += 1
          recorder.mark("mark \(number)")
          // Write more slowly than the file can be read.
          usleep(200)
        }
        ends.leave()
      }
    }
    for _ in 0..<3 {
      let trace = try Packed.read(Self.pack(url))
      #expect(!trace.loss.isDamaged)
      #expect(!trace.header.isClosed)
    }
    isOver.set()
    ends.wait()
    try recorder.stop()
    #expect(try Packed.unpack(Self.pack(url)) == [UInt8](Data(contentsOf: url)))
  }

  private final class Flag: @unchecked Sendable {
    // Guarded by the lock.
    private var value = false
    private let lock = NSLock()
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
  }
}
