internal import Foundation
internal import OpTraceFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What `optrace record` asks of the program that it runs and of all that this one runs: `OPTRACE_RECORD=FOLDER`, where it
/// wants to be told of traces. A note is a symbolic link whose target is the text: a process that may write no file can make
/// one. While the command lives it holds a lock on a file in there, which tells its number.
struct RecordRequest {
  static let current = ProcessInfo.processInfo.environment["OPTRACE_RECORD"].flatMap(RecordRequest.init)

  private let folder: String

  init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    folder = text
  }

  /// The program itself writes the file that was asked for. Its children, which have another parent, put their number
  /// before the name's ending; a program called by `exec` is still the program itself.
  func path(for pattern: String) -> String {
    guard command != getppid(), !pattern.contains("%p") else { return pattern }
    return TracePath.inserting(".%p", beforeEndingOf: pattern)
  }

  /// The command's process; nil where it is gone.
  private var command: pid_t? {
    let file = open("\(folder)/command", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var question = flock()
    question.l_type = Int16(F_WRLCK)
    question.l_whence = Int16(SEEK_SET)
    guard fcntl(file, F_GETLK, &question) == 0, question.l_type != Int16(F_UNLCK), question.l_pid > 0 else {
      return nil
    }
    return question.l_pid
  }

  func note(recordingTo path: String) { note("+\(path)") }
  func note(failure: String) { note("-\(failure)") }

  /// A process may have several notes. A command that is gone needs none.
  private func note(_ text: String) {
    // What a link holds at most.
    let target = text.asPath.prefix { $0 != 0 }.prefix(Int(PATH_MAX) - 1) + [0]
    for number in 0..<1000 {
      if symlink(Array(target), "\(folder)/\(getpid())-\(number)") == 0 || errno != EEXIST { return }
    }
  }
}
