import COpTrace
import COpTraceAttach
import Foundation
import OpTraceSnapshot

/// The recorder in a process that ran already.
///
/// A thread of the process that sleeps in a system call is borrowed for a moment: it starts another thread, and sleeps again. That one
/// loads the library and records. It ends the recording when it is asked to, or when this process has ended.
package struct AttachedRecording: Sendable {
  package let processID: UInt32
  /// The trace that is being written.
  package let trace: String
  /// What is not recorded, a sentence each.
  package let remarks: [String]
  /// At most so long one thread of the process did not wait where it did before.
  package let borrowed: Duration
  private let block: UInt64

  /// How long to look for a thread that may be borrowed.
  package static let patience = Duration.seconds(10)
  /// How long to wait for the answer of the new thread. Its loader may have to wait for another thread of the program.
  private static let answer = Duration.seconds(20)
  private static let pause: useconds_t = 2_000

  /// Throws what is in the way; then the program is as before.
  /// - Parameters:
  ///   - library: the object with the recorder.
  ///   - folder: where the trace will be.
  ///   - settings: as environment variables have them for a program that is started.
  package static func begin(
    in processID: UInt32, library: String, folder: String, settings: [String: String],
    patience: Duration = patience
  ) throws(AttachTrouble) -> AttachedRecording {
    guard optrace_attach_is_supported() else { throw .otherProcessor }
    let memory: LiveMemory
    do throws(MemoryTrouble) { memory = try LiveMemory(processID) } catch { throw .memory(error) }
    guard let facts = ProcessFacts(processID) else { throw .memory(.noSuchProcess(processID)) }
    let libraries = try LoadedLibraries(memory)
    try facts.check(paths: [library, folder])
    var texts: [UInt8] = []
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) { texts += Array("\(name)=\(value)".utf8) + [0] }
    texts.append(0)
    var thread = BorrowedThread(processID, libraries, library: library, settings: texts)
    let started = try thread.lend(patience: patience)
    let borrowed = Self.borrowed(processID, started)
    return try answered(processID, started.block, borrowed)
  }

  /// Until the new thread is there.
  private static func borrowed(_ processID: UInt32, _ started: BorrowedThread.Started) -> Duration {
    var looks = 0
    while looks < mostLooks, Seen(processID, started.block)?.state ?? 0 == UInt32(attached_nothing) {
      usleep(50)
      looks += 1
    }
    return started.stopped.duration(to: .now)
  }

  private static let mostLooks = 2_000

  private static func answered(
    _ processID: UInt32, _ block: UInt64, _ borrowed: Duration
  ) throws(AttachTrouble) -> AttachedRecording {
    let limit = ContinuousClock.now + answer
    repeat {
      if let seen = Seen(processID, block) {
        switch seen.state {
        case UInt32(attached_no_thread): throw .noNewThread(seen.error)
        case UInt32(attached_not_loaded): throw .notLoaded(seen.text)
        case UInt32(attached_refused):
          _ = optrace_attach_ask(processID, block, UInt32(attached_read_all))
          throw .notBegun(seen.lines)
        case UInt32(attached_ended): throw .noAnswer
        case UInt32(attached_recording):
          guard let trace = seen.lines.first(where: { $0.hasPrefix("/") }) else { break }
          return AttachedRecording(
            processID: processID, trace: trace, remarks: seen.lines.filter { $0 != trace },
            borrowed: borrowed, block: block)
        default: break
        }
      } else if kill(pid_t(bitPattern: processID), 0) != 0, errno == ESRCH {
        throw .ended
      }
      usleep(pause)
    } while ContinuousClock.now < limit
    // If it begins later, it ends at once.
    _ = optrace_attach_ask(processID, block, UInt32(attached_read_all))
    throw .noAnswer
  }

  private init(processID: UInt32, trace: String, remarks: [String], borrowed: Duration, block: UInt64) {
    (self.processID, self.trace, self.remarks) = (processID, trace, remarks)
    (self.borrowed, self.block) = (borrowed, block)
  }

  private struct Seen {
    let state: UInt32
    let error: Int32
    let text: String

    init?(_ processID: UInt32, _ block: UInt64) {
      var (state, error): (UInt32, Int32) = (0, 0)
      var bytes = [CChar](repeating: 0, count: 4096)
      guard optrace_attach_read(processID, block, &state, &error, &bytes, bytes.count) else { return nil }
      (self.state, self.error) = (state, error)
      text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  /// False: the process has ended, or has become another program.
  package var isThere: Bool { Seen(processID, block) != nil }

  /// Ends the recording, and waits until the trace is closed and nothing is hooked any more. Returns why the trace was not closed properly; nil:
  /// it was, or the process has ended.
  package func end() -> String? {
    _ = optrace_attach_ask(processID, block, UInt32(attached_end))
    let limit = ContinuousClock.now + Self.answer
    var why: String?
    // The block goes when all has been read.
    while let seen = Seen(processID, block) {
      if seen.state == UInt32(attached_ended) {
        why = seen.lines.first
        _ = optrace_attach_ask(processID, block, UInt32(attached_read_all))
      }
      guard ContinuousClock.now < limit else {
        return "the recorder in process \(processID) does not end: it gets no processor, or is stopped"
      }
      usleep(Self.pause)
    }
    return why
  }
}
