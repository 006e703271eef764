internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What `optrace record` asks of the program that it runs and of all that this one runs: `OPTRACE_RECORD=PID:FILE`, the
/// command's process, and the file in which it wants to be told of traces.
struct RecordRequest {
  static let current = ProcessInfo.processInfo.environment["OPTRACE_RECORD"].flatMap(RecordRequest.init)

  private let command: pid_t
  private let notes: String

  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let command = pid_t(parts[0]) else { return nil }
    self.command = command
    notes = String(parts[1])
  }

  /// The program itself writes the file that was asked for. Its children, which have another parent, put their number
  /// before the name's ending; a program called by `exec` is still the program itself.
  func path(for pattern: String) -> String {
    guard getppid() != command, !pattern.contains("%p") else { return pattern }
    let url = URL(fileURLWithPath: pattern)
    let ending = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
    return "\(url.deletingPathExtension().path).%p\(ending)"
  }

  func note(recordingTo path: String) { note("+\(getpid()) \(path)") }
  func note(failure: String) { note("-\(getpid()) \(failure)") }

  /// One write, so that the notes of two processes do not mix; a zero ends each. A command that is gone needs none.
  private func note(_ text: String) {
    let file = open(notes, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { return }
    let bytes = Array(text.utf8) + [0]
    _ = write(file, bytes, bytes.count)
    close(file)
  }
}
