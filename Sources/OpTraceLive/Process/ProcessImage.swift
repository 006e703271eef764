import Foundation
import OpTraceModel

/// Whether a process still runs the program that began a trace. `exec` makes it another one, of the same number and the same
/// beginning, which has the trace mapped no more.
enum ProcessImage {
  /// False where that is sure: what the process has mapped may be read, and the trace is not among it.
  package static func holds(_ header: TraceHeader, _ status: ProcessStatus) -> Bool {
    let key = Key(process: header.processID, began: header.startMonotonic, stack: status.stack)
    // A stack that may not be known tells no two programs apart.
    if status.stack != 0, held.contains(key) { return true }
    guard let mapped = MappedTraces.shared(by: header.processID) else { return true }
    let isHeld = mapped.contains { file in
      // What is deleted, or another file here than there, may be the trace.
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

  /// What was found stays so until the process has another stack: what it has mapped may be long to read.
  private static let held = Held()

  /// Sendable: the lock guards what changes.
  private final class Held: @unchecked Sendable {
    private let lock = NSLock()
    private var keys: Set<Key> = []

    func contains(_ key: Key) -> Bool { lock.withLock { keys.contains(key) } }
    func insert(_ key: Key) { _ = lock.withLock { keys.insert(key) } }
  }
}

/// What `/proc/PID/stat` says.
struct ProcessStatus {
  /// The system's letter for what the process does.
  package let letter: UInt8
  /// How many threads it has.
  package let threads: Int
  /// Where its first stack begins; 0: this user may not know.
  package let stack: UInt64

  /// Nil: there is no such process.
  package init?(of processID: UInt32) {
    guard let bytes = FileManager.default.contents(atPath: "/proc/\(processID)/stat"),
      // The program's name may have anything in it.
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard fields.count > 25, let letter = fields[0].utf8.first else { return nil }
    self.letter = letter
    threads = Int(fields[17]) ?? 1
    stack = UInt64(fields[25]) ?? 0
  }

  /// It has ended, and keeps its number until its parent asks for its status. One whose first thread alone has ended lives.
  package var isDead: Bool { letter == UInt8(ascii: "X") || letter == UInt8(ascii: "Z") && threads <= 1 }

  /// A signal has stopped it, or a debugger has it.
  package var isStopped: Bool { letter == UInt8(ascii: "T") || letter == UInt8(ascii: "t") }
}
