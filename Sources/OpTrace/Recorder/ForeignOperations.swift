internal import COpTrace
internal import Foundation

/// Numbers for operations that carry no probe of this recorder: other classes, and traced operations that record
/// elsewhere. They are known by identity; a weak reference distinguishes an object from a later one at the same
/// address. A second time beside `describe/foreign.c`, which looks for weak references in a program's own runtime.
///
/// Sendable: `entries` is only touched under `lock`.
final class ForeignOperations: @unchecked Sendable {
  private struct Entry {
    weak var operation: Operation?
    var serial: UInt32
  }

  private let lock = Lock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepAt = 1024

  /// The number of an operation, and whether it is new.
  func number(of operation: Operation, core: OpaquePointer) -> (serial: UInt32, isNew: Bool) {
    let key = ObjectIdentifier(operation)
    // The objects that were checked. If their other owners release them meanwhile, their `deinit`, which is the
    // program's code, runs when this list is released, after the lock.
    var seen: [Operation] = []
    defer { seen.removeAll() }
    return lock.withLock {
      if let entry = entries[key], entry.operation === operation { return (entry.serial, false) }
      let serial = optrace_recorder_next_serial(core)
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
