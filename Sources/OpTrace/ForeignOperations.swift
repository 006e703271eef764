internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Numbers for operations that carry no probe of this recorder: other classes, and traced operations that record
/// elsewhere. They are known by identity; a weak reference tells an object from a later one at the same address.
///
/// Sendable: `entries` is only touched under `lock`.
final class ForeignOperations: @unchecked Sendable {
  private struct Entry {
    weak var operation: Operation?
    var serial: UInt32
  }

  private let lock = NSLock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepAt = 1024

  /// The number of an operation. At first sight it is described as `external`: nothing but its being named is known.
  func identify(_ operation: Operation, recorder: TraceRecorder) -> UInt32 {
    let (serial, isNew) = number(of: operation, recorder: recorder)
    if isNew, serial != 0 {
      recorder.describe(
        recorder.facts(of: operation), name: operation.name, serial: serial,
        coverage: UInt64(Coverage.external.rawValue),
        isAsynchronous: false, created: nil, location: nil)
    }
    return serial
  }

  enum Coverage: UInt8, Comparable {
    case full = 0
    case partial = 1
    case external = 2

    static func < (a: Coverage, b: Coverage) -> Bool { a.rawValue < b.rawValue }
  }

  /// Describes an operation that a traced queue was given, with what it depends on.
  func enqueue(_ operation: Operation, recorder: TraceRecorder) -> UInt32 {
    let (serial, _) = number(of: operation, recorder: recorder)
    guard serial != 0 else { return 0 }
    recorder.describe(
      recorder.facts(of: operation), name: operation.name, serial: serial, coverage: UInt64(Coverage.partial.rawValue),
      isAsynchronous: operation.isAsynchronous, created: nil, location: nil)
    for dependency in operation.dependencies {
      let target = recorder.introduce(dependency)
      optrace_emit2(recorder.core, EventKind.dependencyAdded.rawValue, serial, UInt64(target))
    }
    return serial
  }

  private func number(of operation: Operation, recorder: TraceRecorder) -> (serial: UInt32, isNew: Bool) {
    let key = ObjectIdentifier(operation)
    // Those that were looked at. Who else had them may let go meanwhile; their `deinit`, which is the program's code,
    // then runs when this list goes, after the lock.
    var seen: [Operation] = []
    defer { seen.removeAll() }
    return lock.withLock {
      if let entry = entries[key], entry.operation === operation { return (entry.serial, false) }
      let serial = optrace_recorder_next_serial(recorder.core)
      entries[key] = Entry(operation: operation, serial: serial)
      if entries.count > sweepAt {
        entries = entries.filter {
          guard let operation = $0.value.operation else { return false }
          seen.append(operation)
          return true
        }
        sweepAt = max(1024, entries.count * 2)
      }
      return (serial, true)
    }
  }
}
