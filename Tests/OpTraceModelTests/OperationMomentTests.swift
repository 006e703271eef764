import Testing

@testable import OpTraceModel

/// All moments of an operation, found by reflection so that no new one is forgotten.
@Suite("Moments of an operation") struct OperationMomentTests {
  private static func stamp(_ time: Nanoseconds) -> Stamp { Stamp(time, ThreadID(UInt32(time))) }

  private static var full: OperationRecord {
    var operation = OperationRecord(id: OperationID(1), className: "A", name: "one")
    (operation.created, operation.lastSign) = (1, 2)
    (operation.enqueued, operation.ready, operation.started) = (stamp(3), stamp(4), stamp(5))
    (operation.executionBegan, operation.executionEnded) = (stamp(6), stamp(7))
    (operation.startReturned, operation.finished, operation.released) = (stamp(8), stamp(9), stamp(10))
    operation.completion = CompletionRecord(queued: stamp(11), began: stamp(12), ended: stamp(13))
    operation.dependencies = [Dependency(on: OperationID(2), added: 14, removed: 15)]
    operation.blocks = [BlockExecution(index: 0, thread: ThreadID(16), began: 16, ended: 17)]
    for (index, path) in RareFacts.Values.stamps.enumerated() {
      operation.rare[keyPath: path] = CompactStamp(stamp(18 + Nanoseconds(index)))
    }
    operation.error = "no network"
    operation.source = "main.swift:1"
    return operation
  }

  /// The path and the value of each moment; nil: it is not set.
  private static func moments(_ value: Any, _ path: String = "") -> [(path: String, moment: Stamp?)] {
    func time(_ time: Nanoseconds?) -> Stamp? { time.map { Stamp($0, ThreadID(0)) } }
    switch value {
    case let one as CompactStamp: return [(path, one.stamp)]
    case let one as CompactTime: return [(path, time(one.time))]
    case let one as BlockExecution:
      return [(path + ".began", Stamp(one.began, one.thread)), (path + ".ended", time(one.ended))]
    case let one as Stamp?? where type(of: value) == Stamp?.self: return [(path, one ?? nil)]
    default:
      return Mirror(reflecting: value).children.flatMap { moments($0.value, "\(path).\($0.label ?? "")") }
    }
  }

  @Test("moveMoments changes every moment") func moved() {
    var operation = Self.full
    operation.moveMoments { Stamp($0.time + 1000, ThreadID($0.thread.rawValue + 500)) }
    let before = Self.moments(Self.full)
    let after = Self.moments(operation)
    #expect(before.count >= 20 && before.map(\.path) == after.map(\.path))
    for (one, other) in zip(before, after) {
      guard let old = one.moment else {
        Issue.record("this test's operation has no '\(one.path)': give it one")
        continue
      }
      #expect(other.moment?.time == old.time + 1000, "\(one.path)")
      if old.thread.rawValue != 0 { #expect(other.moment?.thread.rawValue == old.thread.rawValue + 500, "\(one.path)") }
    }
  }

  @Test("asCreated removes everything that came after the creation") func asCreated() {
    let operation = Self.full.asCreated
    let left = Self.moments(operation).filter { $0.moment != nil }.map(\.path)
    #expect(left == [".dependencies..compactAdded", ".dependencies..compactRemoved", ".compactCreated"])
    #expect(operation.name == "one" && operation.source == "main.swift:1" && operation.error == nil)
    #expect(operation.startCount == 0 && operation.state == .pending)
  }
}
