internal import Foundation
internal import OpTraceFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What `optrace record` asks of the program that it runs, and of every program that this one runs:
/// `OPTRACE_RECORD=FOLDER` is where they report their traces. A note is a symbolic link whose target is the text,
/// because a process that may write no file can still make a link. While the command runs it holds a lock on a file in
/// there, which has its process id.
struct RecordRequest {
  static let current = ProcessInfo.processInfo.environment["OPTRACE_RECORD"].flatMap(RecordRequest.init)

  private let folder: String

  init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    folder = text
  }

  /// The program itself writes the requested file. Its children, which have another parent, insert their process id
  /// before the file's extension; a program that was started by `exec` is still the program itself.
  func path(for pattern: String) -> String {
    guard command != getppid(), !pattern.contains("%p") else { return pattern }
    return TracePath.inserting(".%p", beforeEndingOf: pattern)
  }

  /// The command's process; nil: it has ended.
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

  /// A process may have several notes. A command that has ended needs none.
  private func note(_ text: String) {
    // The longest target of a link.
    let target = text.asPath.prefix { $0 != 0 }.prefix(Int(PATH_MAX) - 1) + [0]
    for number in 0..<1000 {
      if symlink(Array(target), "\(folder)/\(getpid())-\(number)") == 0 || errno != EEXIST { return }
    }
  }
}
