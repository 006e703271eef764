import Foundation
import OpTraceModel

/// Whether a process still runs the program that began a trace. `exec` makes it another program with the same id and
/// start time, which no longer has the trace mapped.
enum ProcessImage {
  /// False only if that is certain: the process's mappings can be read, and the trace is not among them.
  package static func holds(_ header: TraceHeader, _ status: ProcessStatus) -> Bool {
    let key = Key(process: header.processID, began: header.startMonotonic, stack: status.stack)
    // If this user may not know the stack, it cannot tell two programs apart.
    if status.stack != 0, held.contains(key) { return true }
    guard let mapped = MappedTraces.shared(by: header.processID) else { return true }
    let isHeld = mapped.contains { file in
      // A deleted file, or one that differs between our view and the process's, may be the trace.
      guard file.isSameHere else { return !file.isMemory }
      guard isTraceFile(file.path), let other = try? TraceReader.header(path: file.path) else { return false }
      return other.processID == header.processID && other.startMonotonic == header.startMonotonic
    }
    if isHeld, status.stack != 0 { held.insert(key) }
    return isHeld
  }

  private struct Key: Hashable {
    let process: UInt32
    let began: UInt64
    let stack: UInt64
  }

  /// A result holds until the process has another stack. It is kept because reading all mappings may take long.
  private static let held = Held()

  /// Sendable: the lock guards what changes.
  private final class Held: @unchecked Sendable {
    private let lock = NSLock()
    private var keys: Set<Key> = []

    func contains(_ key: Key) -> Bool { lock.withLock { keys.contains(key) } }
    func insert(_ key: Key) { _ = lock.withLock { keys.insert(key) } }
  }
}

/// The content of `/proc/PID/stat`.
struct ProcessStatus {
  /// The system's letter for the state of the process.
  package let letter: UInt8
  /// How many threads it has.
  package let threads: Int
  /// Where its first stack begins; 0: this user may not know.
  package let stack: UInt64

  /// Nil: there is no such process.
  package init?(of processID: UInt32) {
    guard let bytes = FileManager.default.contents(atPath: "/proc/\(processID)/stat"),
      // The program's name may contain any character.
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard fields.count > 25, let letter = fields[0].utf8.first else { return nil }
    self.letter = letter
    threads = Int(fields[17]) ?? 1
    stack = UInt64(fields[25]) ?? 0
  }

  /// Whether it has ended, but keeps its id until its parent asks for its status. If only its first thread has ended,
  /// it is alive.
  package var isDead: Bool { letter == UInt8(ascii: "X") || letter == UInt8(ascii: "Z") && threads <= 1 }

  /// Whether it was stopped by a signal or a debugger.
  package var isStopped: Bool { letter == UInt8(ascii: "T") || letter == UInt8(ascii: "t") }
}
